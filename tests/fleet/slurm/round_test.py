"""`halftone fleet` on a cluster: networks on two kinds of machine, two fleets at once, limits of arrays, a damaged bank.

    round_test.py <halftone> <source tree>
"""
from fleet_test_case import HANG, MAX_TRIALS, FleetTestCase, count_trials, main
from slurm_cluster import Node, wait_until

KINDS = {"zen5": "zen5", "sapphire": "sapphire"}


class FleetTest(FleetTestCase):
    nodes = (Node("n0", features="zen5"), Node("n1", features="sapphire"))
    settings = {"MaxArraySize": 4}  # elements are numbered 0 to 3

    def test_all_networks_on_both_kinds(self):
        """Five networks in four elements; one that is no network has a result that says so, and stops nothing."""
        good = [self.network(name) for name in ("alpha", "beta", "gamma", "delta")]
        fleet = self.fleet([*good, self.broken_network("broken")], KINDS)
        said = fleet.submit().stdout
        self.assertIn("5 networks in 4 tasks", said)
        self.assertEqual([record["elements"] for record in fleet.jobs("tasks")], [4, 4])
        fleet.wait_for_results(10)
        fleet.wait_for_end()

        items = fleet.items()
        self.assertEqual({state for (_, network), (state, _) in items.items() if network != "broken"}, {"done"})
        for kind in KINDS:
            self.assertEqual(items[kind, "broken"][0], "failed")
            self.assertIn("broken.onnx': expected an ONNX model, 1000 bytes do not parse", items[kind, "broken"][1])
        text = fleet.command("status").stdout
        self.assertIn("failed zen5/broken: ", text)
        self.assertEqual(fleet.command("status", "--check", check=False).returncode, 1)

        for (kind, network), result in fleet.results().items():
            with self.subTest(kind=kind, network=network):
                self.assertEqual(result["node"], {"zen5": "n0", "sapphire": "n1"}[kind])
                self.assertEqual(result["attempts"], 1)
                folder = fleet.result(kind, network)
                if network == "broken":
                    self.assertEqual((result["end"], result["exit_code"]), ("failed", 1))
                    continue
                self.assertEqual(result["measured"], MAX_TRIALS)
                self.assertEqual(sum(point["chosen"] for point in result["points"]), 1)
                for name in ("front.json", "report.html"):
                    self.assertTrue((folder / name).exists(), name)
                self.assertGreaterEqual(count_trials(folder / "bank"), MAX_TRIALS)
        self.assertEqual(fleet.left_over(), [])

        for kind in KINDS:
            self.assertEqual(fleet.merged(kind), sum(count_trials(fleet.result(kind, path.stem)) for path in good))
        self.assertIn("0 banks merged, 4 known before", fleet.command("merge").stdout)
        self.assertEqual({fleet.job_state(purpose) for purpose in ("tasks", "merge", "report")}, {"COMPLETED"})
        for ending in ("html", "md", "csv", "json"):
            text = (fleet.round / f"report.{ending}").read_text()
            self.assertIn("gamma", text)
            self.assertIn("1000 bytes do not parse", text, "the reason of the failure")
        self.assertIn("nothing to submit: 5 done", fleet.command("resume").stdout)

    def test_two_fleets_at_once(self):
        """They have networks of the same names and share nodes, disks and nothing else."""
        network = [self.network(name) for name in ("alpha", "beta")]
        fleets = [self.fleet(network, KINDS, name=f"fleet{trials}", max_trials=trials) for trials in (2, 3)]
        for fleet in fleets:
            fleet.submit()
        for fleet, trials in zip(fleets, (2, 3)):
            fleet.wait_for_results(4)
            fleet.wait_for_end()
            self.assertEqual({result["measured"] for result in fleet.results().values()}, {trials})
            self.assertEqual({result["known"] for result in fleet.results().values()}, {0})
            self.assertEqual(set(fleet.states().values()), {"done"})
            self.assertEqual(fleet.left_over(), [])
            self.assertIn("0 banks merged, 2 known before", fleet.command("merge").stdout)

    def test_kind_that_no_node_is(self):
        fleet = self.fleet([self.network("alpha")], {"zen9": "zen9"})
        refused = fleet.submit(check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        errors = refused.stderr.splitlines()
        self.assertEqual(len(errors), 1, errors)
        self.assertIn("no node of the cluster has the constraint 'zen9'", errors[0])
        self.assertIn("sapphire, zen5", errors[0])

    def test_damaged_bank(self):
        """It is set aside and named; the others merge."""
        gate = self.gate()
        free = ["alpha", "beta", "delta"]
        fleet = self.fleet([*(self.network(name) for name in free), (self.network("gamma"), gate.options())])
        fleet.submit()
        wait_until(gate.waits, HANG, "search that waits")
        fleet.wait_for_results(3)
        # Tasks merge behind the first result and behind the second, not behind the third.
        damaged = wait_until(lambda: fleet.unmerged("zen5", free), HANG, "merges behind two results")
        bank, = fleet.result("zen5", damaged).rglob("halftone.db")
        bank.write_bytes(bank.read_bytes()[:4096] + b"damage" * 5000)
        gate.open()
        fleet.wait_for_results(4)
        fleet.wait_for_end()
        self.assertIn(f"the bank of '{damaged}' is damaged and lies in", fleet.logs())
        self.assertEqual((fleet.job_state("tasks"), fleet.job_state("merge")), ("COMPLETED", "FAILED"))
        others = [name for name in (*free, "gamma") if name != damaged]
        self.assertEqual(fleet.merged("zen5"), sum(count_trials(fleet.result("zen5", name)) for name in others))
        self.assertTrue(list((fleet.folder / "set_aside").rglob("halftone.db")))
        self.assertFalse(bank.exists())
        self.assertIn("0 banks merged, 3 known before", fleet.command("merge").stdout)


if __name__ == "__main__":
    main()
