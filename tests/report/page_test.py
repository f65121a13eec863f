"""report.html in a headless Chromium: it draws, asks for nothing, fits a phone, knows dark and light.

    page_test.py <halftone_example_reports> <halftone> <source tree> [folder for screenshots]

Exit code 77 (skipped) when there is no browser.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser as browsers  # noqa: E402

CHARTS_OF_PREDICTIONS = ("prediction-loss-chart", "prediction-latency-chart")
CHARTS = ("front-chart", "sensitivity-chart", "growth-chart", "time-chart", "histogram-chart", "weight-chart",
          *CHARTS_OF_PREDICTIONS)
PHONE = 360
# A laptop and a phone, at which every column has to be seen.
WIDTHS = (1400, 400)
# Of the pixels of a chart, at least: marks, bars and lines are drawn in it besides axes and texts.
DRAWN_SHARE = 0.01
REAL = "real"  # a run of the program; the others are made up


def tune_digits(halftone, source, out):
    """Few modes, so that the search soon looks at single operators, and predicts what they make."""
    digits = source / "examples/digits"
    subprocess.run([halftone, "tune", f"--model={digits}/model.onnx", f"--inputs={digits}/search_inputs.npy",
                    f"--labels={digits}/search_labels.npy", f"--heldout_inputs={digits}/heldout_inputs.npy",
                    f"--heldout_labels={digits}/heldout_labels.npy", "--precision_mode=force_fp16", "--max_trials=16",
                    "--operator_tuning=off", "--threads=1", "--no_bank", f"--output={out}"], check=True, capture_output=True)


def luminance(pixel):
    return (2 * pixel[0] + 5 * pixel[1] + pixel[2]) / 8


def drawn_share(rows):
    """The share of pixels that differ from the most frequent one, the background."""
    counts = Counter(pixel for row in rows for pixel in row)
    return 1 - counts.most_common(1)[0][1] / sum(counts.values())


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browsers.Browser(browsers.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open(self, name, **settings):
        page = self.browser.open(FOLDER / name / "report.html", **settings)
        self.addCleanup(page.close)
        return page

    def test_nothing_is_asked_for_and_nothing_complains(self):
        for folder in sorted(FOLDER.iterdir()):
            for dark in (False, True):
                with self.subTest(folder.name, dark=dark):
                    page = self.open(folder.name, dark=dark)
                    self.assertEqual(page.requests(), [(folder / "report.html").resolve().as_uri()])
                    self.assertEqual(page.complaints(), [])

    def test_the_policy_refuses_what_is_not_ours(self):
        # The tests above would not see a policy that lets everything pass.
        page = self.open("example")
        page.evaluate("new Promise(r => { const i = new Image(); i.onerror = () => r(1); i.onload = () => r(2);"
                      "i.src = 'http://127.0.0.1:9/x.png'; })")
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.hacked=1\" id=bold>')")
        page.evaluate("document.getElementById('bold').click()")
        page.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1';"
                      "document.body.append(s); })()")
        self.assertEqual(page.evaluate("typeof window.hacked"), "undefined")
        self.assertTrue(any("Content Security Policy" in str(text) for text in page.complaints()))

    def test_names_of_the_model_stay_text(self):
        page = self.open("hostile")
        self.assertEqual(page.evaluate("typeof window.hacked"), "undefined")
        self.assertEqual(page.evaluate("document.images.length"), 0)
        self.assertIn("<img src=x", page.evaluate("document.querySelector('h1').textContent"))
        self.assertIn("</script><script>", page.evaluate("document.getElementById('kept').textContent"))

    def test_every_chart_is_drawn(self):
        for name in ("example", "large", "hostile", "discrete", REAL):
            page = self.open(name)
            for chart in CHARTS:
                # Where 16 bits are slow a real run may predict nothing, or only plans without any loss.
                if name == REAL and chart in CHARTS_OF_PREDICTIONS and page.evaluate(
                        f"document.getElementById('{chart}')?.closest('figure').hidden ?? true"):
                    continue
                with self.subTest(name, chart=chart):
                    share = drawn_share(browsers.pixels(page.screenshot(chart, scale=0.5)))
                    self.assertGreater(share, DRAWN_SHARE)

    def test_a_chart_without_data_is_no_drawing(self):
        # What test_every_chart_is_drawn looks at tells an empty canvas from a full one.
        page = self.open("example")
        page.evaluate("Chart.getChart('front-chart').destroy()")
        self.assertLess(drawn_share(browsers.pixels(page.screenshot("front-chart", scale=0.5))), DRAWN_SHARE)

    def test_charts_follow_the_data(self):
        page = self.open("large")
        self.assertEqual(page.evaluate("Chart.getChart('front-chart').data.datasets[0].data.map(p => p.x)"),
                         page.evaluate("JSON.parse(document.getElementById('front-json').textContent)"
                                       ".front.map(p => p.speed_up)"))
        bars = page.evaluate("Chart.getChart('time-chart').data.datasets[0].data")
        total = page.evaluate("JSON.parse(document.getElementById('front-json').textContent).chosen_point.total_time")
        self.assertEqual(bars[0], [0, 1])
        self.assertEqual(bars[-1], [0, total])
        for before, after in zip(bars[:-2], bars[1:-1]):  # each bar starts where the one before ends
            self.assertAlmostEqual(before[1], after[0], places=12)
        self.assertAlmostEqual(bars[-2][1], total, places=12)

    def test_a_tensor_is_chosen_and_drawn(self):
        page = self.open("example")
        shown = "document.querySelector('#tensor-choice .words').textContent"
        chart = "Chart.getChart('histogram-chart')"
        # The least exact first; of equal ones the first.
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#tensor-choice option')].map(o => o.textContent)"),
                         ["conv1:0", "pool:0", "x"])
        for words in ("conv1 (Conv2D)", "pool, conv2", "-1 to 3", "0 to 2.55", "percentile:99.99", "0.25 to 8"):
            self.assertIn(words, page.evaluate(shown))
        self.assertEqual(page.evaluate(chart + ".data.datasets[0].data.map(bin => bin.y)"),
                         [None, 5, 20, 30, 20, 12, 8, 5])
        self.assertEqual(page.evaluate(chart + ".data.datasets[0].data.map(bin => bin.clipped)"),
                         [True, True, False, False, False, False, False, True])
        self.assertEqual(page.evaluate(chart + ".data.datasets.slice(1).map(line => line.data[0].x.toFixed(4))"),
                         ["0.0000", "2.5500"])
        colours = page.evaluate(chart + ".data.datasets[0].backgroundColor")
        self.assertNotEqual(colours[0], colours[2])
        choose = ("(() => {{ const s = document.querySelector('#tensor-choice select'); s.value = '{}';"
                  "s.dispatchEvent(new Event('change')); }})()")
        page.evaluate(choose.format(1))
        self.assertIn("that of conv1:0, whose values these are", page.evaluate(shown))
        self.assertIsNotNone(page.evaluate(chart + " && 1"))
        # A given scale has no histogram.
        page.evaluate(choose.format(2))
        self.assertIn("its scale was given", page.evaluate(shown))
        self.assertTrue(page.evaluate("document.getElementById('histogram-chart').closest('figure').hidden"))
        # A name in the table chooses too.
        page.evaluate("[...document.querySelectorAll('#tensor-table .name')].find(b => b.textContent === 'conv1:0').click()")
        self.assertIn("conv1 (Conv2D)", page.evaluate(shown))
        self.assertFalse(page.evaluate("document.getElementById('histogram-chart').closest('figure').hidden"))

    def test_a_weight_is_chosen_and_drawn(self):
        page = self.open("example")
        shown = "document.querySelector('#weight-choice .words').textContent"
        self.assertEqual(page.evaluate("Chart.getChart('weight-chart').data.datasets[0].data"),
                         [[-0.127, 0.1], [-1.27, 1], [0, 0], [-2, 15.875]])
        for words in ("4, of which 1 are all 0", "least 0.001, median 0.01, largest 0.125", "0.25 to 8", "median 0.001, largest 0.02"):
            self.assertIn(words, page.evaluate(shown))
        page.evaluate("(() => { const s = document.querySelector('#weight-choice select'); s.value = '1';"
                      "s.dispatchEvent(new Event('change')); })()")
        self.assertIn("Its picture is not in this page", page.evaluate(shown))
        self.assertTrue(page.evaluate("document.getElementById('weight-chart').closest('figure').hidden"))

    def test_pointing_at_a_point_tells_about_it(self):
        page = self.open("example")
        place = page.evaluate(
            "(() => { const c = Chart.getChart('front-chart'), p = c.getDatasetMeta(0).data[1],"
            "r = c.canvas.getBoundingClientRect();"
            "return [p.x + r.x + scrollX, p.y + r.y + scrollY]; })()")
        self.assertEqual(page.evaluate("Chart.getChart('front-chart').tooltip.opacity"), 0)
        before = page.screenshot("front-chart")
        page.hover(*place)
        tooltip = page.evaluate("(() => { const t = Chart.getChart('front-chart').tooltip;"
                                "return {opacity: t.opacity, title: t.title, body: t.body}; })()")
        self.assertEqual(tooltip["opacity"], 1)
        self.assertEqual(tooltip["title"], ["Point 2 (chosen)"])
        text = " ".join(line for part in tooltip["body"] for line in part["lines"])
        for part in ("1.333× [1.316, 1.351]", "SQNR 47.5 dB, worst sample 44.5 dB", "held-out 46.5 dB",
                     "from point 1: float32 for conv1"):
            self.assertIn(part, text)
        self.assertNotEqual(before, page.screenshot("front-chart"))

    def test_a_point_without_floating_outputs_tells_its_agreement(self):
        # 99.9999 % is not 100 %.
        page = self.open("discrete")
        self.assertEqual(page.evaluate("Chart.getChart('front-chart').data.datasets[0].data.map(p => p.y)"),
                         [98.5, 100 * 0.999999, 100])
        place = page.evaluate(
            "(() => { const c = Chart.getChart('front-chart'), p = c.getDatasetMeta(0).data[1],"
            "r = c.canvas.getBoundingClientRect();"
            "return [p.x + r.x + scrollX, p.y + r.y + scrollY]; })()")
        page.hover(*place)
        body = page.evaluate("Chart.getChart('front-chart').tooltip.body")
        text = " ".join(line for part in body for line in part["lines"])
        for part in ("agreement 99.9999 %, worst sample 99.9998 %", "held-out 99.9999 %"):
            self.assertIn(part, text)
        self.assertNotIn("NaN", text)

    def test_pointing_at_the_other_charts_tells_something(self):
        page = self.open("example")
        for chart in CHARTS[1:]:
            with self.subTest(chart):
                place = page.evaluate(
                    f"(() => {{ const c = Chart.getChart('{chart}'), r = c.canvas.getBoundingClientRect(),"
                    "p = c.getDatasetMeta(0).data[0];"
                    "return [p.x + r.x + scrollX, p.y + r.y + scrollY]; })()")
                page.hover(*place)
                self.assertEqual(page.evaluate(f"Chart.getChart('{chart}').tooltip.opacity"), 1)

    def test_a_phone_needs_no_sideways_scrolling(self):
        for folder in sorted(FOLDER.iterdir()):
            with self.subTest(folder.name):
                page = self.open(folder.name, width=PHONE)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE)
                self.assertEqual(page.evaluate("window.innerWidth"), PHONE)
                page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                page.settle()
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE)

    def test_nothing_is_wider_than_the_page(self):
        # As test_a_phone_needs_no_sideways_scrolling, with what is not the root's own width.
        for folder in sorted(FOLDER.iterdir()):
            page = self.open(folder.name, width=WIDTHS[1])
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            for width in (*reversed(WIDTHS), PHONE):
                with self.subTest(folder.name, width=width):
                    page.size(width)
                    page.settle()
                    for element in ("documentElement", "body"):
                        self.assertLessEqual(page.evaluate(f"document.{element}.scrollWidth"),
                                             page.evaluate(f"document.{element}.clientWidth"))

    def test_the_chart_comes_first(self):
        for name in ("example", "large", REAL):
            for width, most in zip(WIDTHS, (500, 900)):
                with self.subTest(name, width=width):
                    page = self.open(name, width=width)
                    top = page.evaluate("document.getElementById('front-chart').getBoundingClientRect().top + scrollY")
                    self.assertLess(top, most)
                    others = page.evaluate("[...document.querySelectorAll('table, .warning')].filter(t => t.offsetHeight)"
                                           ".map(t => t.getBoundingClientRect().top + scrollY)")
                    self.assertLess(top, min(others))

    def test_the_network_is_as_wide_as_its_box(self):
        for name, width in (("example", WIDTHS[0]), ("example", WIDTHS[1]), (REAL, WIDTHS[0]), ("large", WIDTHS[0])):
            with self.subTest(name, width=width):
                page = self.open(name, width=width)
                page.evaluate("document.querySelector('#network-graph button')?.click()")
                page.settle()
                box, picture, room = page.evaluate(
                    "(() => { const b = document.getElementById('network-graph'), s = b.querySelector('svg');"
                    "return [b.clientWidth, s.getBoundingClientRect().width, b.parentElement.clientWidth]; })()")
                self.assertLessEqual(picture, box)
                self.assertLessEqual(box, room)
                self.assertLess(box - picture, 40)  # edges, and the bar that scrolls

    def test_long_words_need_no_sideways_scrolling(self):
        """Names of a model may be long anywhere; a narrow window is no phone, whose page shrinks to fit."""
        for folder in sorted(FOLDER.iterdir()):
            with self.subTest(folder.name):
                page = self.open(folder.name)
                page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                page.evaluate("document.querySelectorAll('body :not(script):not(svg *)').forEach(e => {"
                              "for (const t of e.childNodes) {"
                              "if (t.nodeType === 3 && t.data.trim()) { t.data += ' ' + 'x'.repeat(80); } } })")
                page.send("Emulation.setDeviceMetricsOverride", width=PHONE, height=800, deviceScaleFactor=1,
                          mobile=False)
                page.settle()
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"),
                                     page.evaluate("document.documentElement.clientWidth"))

    def test_every_column_is_seen_at_both_widths(self):
        for folder in sorted(FOLDER.iterdir()):
            page = self.open(folder.name)
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            for width in WIDTHS:
                for dark in (False, True):
                    with self.subTest(folder.name, width=width, dark=dark):
                        page.size(width)
                        page.dark(dark)
                        page.settle()
                        self.assertEqual(page.evaluate(
                            "[...document.querySelectorAll('.table')].filter(t => t.scrollWidth > t.clientWidth)"
                            ".map(t => t.getAttribute('aria-label'))"), [])
                        self.assertEqual(page.evaluate(
                            "[...document.querySelectorAll('td, th')].filter(c => { const r = c.getBoundingClientRect();"
                            "return r.right > innerWidth + 1 || r.left < 0; }).length"), 0)

    def test_the_front_looks_right_at_both_widths(self):
        background = {}
        for width in WIDTHS:
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    page = self.open("example", width=width, dark=dark)
                    rows = browsers.pixels(page.screenshot("front", scale=0.25))
                    self.assertGreater(drawn_share(rows), DRAWN_SHARE)
                    background[dark] = luminance(Counter(p for row in rows for p in row).most_common(1)[0][0])
                    # Side by side on a laptop, one below the other with its heading on a phone.
                    tops = page.evaluate("[...document.querySelector('#front tbody tr').cells]"
                                         ".map(c => c.getBoundingClientRect().top)")
                    heading = page.evaluate("getComputedStyle(document.querySelector('#front td'), '::before').content")
                    if width == WIDTHS[0]:
                        self.assertEqual(len(set(tops)), 1)
                        self.assertEqual(heading, "none")
                    else:
                        self.assertEqual(tops, sorted(set(tops)))
                        self.assertEqual(heading, '"#"')
        self.assertGreater(background[False], 200)
        self.assertLess(background[True], 60)

    def test_tables_sort_by_their_headings(self):
        page = self.open("large")
        column = "[...document.querySelectorAll('#network tbody tr')].map(r => r.cells[3].textContent)"
        press = "document.querySelectorAll('#network th button')[3].click()"
        before = page.evaluate(column)
        page.evaluate(press)
        falling = [float(text.split()[0]) for text in page.evaluate(column) if text.endswith(" dB")]
        self.assertGreater(len(falling), 10)
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.assertEqual(page.evaluate("document.querySelectorAll('#network th')[3].ariaSort"), "descending")
        page.evaluate(press)
        rising = [float(text.split()[0]) for text in page.evaluate(column) if text.endswith(" dB")]
        self.assertEqual(rising, sorted(rising))
        page.evaluate(press)
        self.assertEqual(page.evaluate(column), before)

    def test_a_filter_leaves_the_rows_with_its_text(self):
        page = self.open("large")
        rows = "[...document.querySelectorAll('#network tbody tr')].filter(r => !r.hidden).map(r => r.textContent)"
        every = page.evaluate(rows)
        wanted = page.evaluate("document.querySelector('#network tbody tr').cells[0].textContent")
        page.evaluate("(() => { const f = document.querySelector('#network input'); f.value = %r.toUpperCase();"
                      "f.dispatchEvent(new Event('input')); })()" % wanted)
        left = page.evaluate(rows)
        self.assertEqual(left, [text for text in every if wanted.lower() in text.lower()])
        self.assertLess(len(left), len(every))
        self.assertIn(f"{len(left)} of {len(every)}", page.evaluate("document.querySelector('#network .filter').textContent"))

    def test_the_network_is_drawn_as_the_data_say(self):
        for name in ("example", REAL):
            page = self.open(name)
            nodes = page.evaluate("JSON.parse(document.getElementById('front-json').textContent).chosen_point.nodes")
            shown = [node for node in nodes if node["dtype"] != "-"]
            drawn = page.evaluate(
                "[...document.querySelectorAll('#network-graph g.step')].map(g => { const r = g.querySelector('rect');"
                "const b = r.getBoundingClientRect(); return {title: g.querySelector('title').textContent,"
                "fill: getComputedStyle(r).fill, box: [b.left, b.top, b.right, b.bottom], kind: g.classList[1]}; })")
            with self.subTest(name):
                self.assertGreater(len(shown), 3)
                self.assertEqual([d["title"].split("\n")[:2] for d in drawn],
                                 [[f"{n['node']} ({n['op']})", n["dtype"]] for n in shown])
                edges = sum(len(node["inputs"]) for node in shown)
                self.assertGreater(edges, 1)
                self.assertEqual(page.evaluate("document.querySelectorAll('#network-graph polyline').length"), edges)
                fills = {d["kind"]: d["fill"] for d in drawn}
                self.assertEqual(len(set(fills.values())), len(fills))
                for i, a in enumerate(drawn):
                    for b in drawn[:i]:
                        self.assertTrue(a["box"][2] <= b["box"][0] or b["box"][2] <= a["box"][0] or
                                        a["box"][3] <= b["box"][1] or b["box"][3] <= a["box"][1])
        page = self.open("hostile")
        self.assertEqual(page.evaluate("document.querySelectorAll('#network-graph img, #network-graph script').length"), 0)

    def test_a_large_network_waits_until_it_is_asked_for(self):
        page = self.open("large")
        steps = "document.querySelectorAll('#network-graph g.step').length"
        self.assertEqual(page.evaluate(steps), 0)
        page.evaluate("document.querySelector('#network-graph button').click()")
        self.assertGreater(page.evaluate(steps), 300)

    def test_commands_are_one_line_and_copied(self):
        page = self.open("example")
        for i, text in enumerate(page.evaluate("[...document.querySelectorAll('pre')].map(p => p.textContent)")):
            self.assertNotIn("\n", text.strip())
            said = page.evaluate("(async () => { const b = document.querySelectorAll('button.copy')[%d]; b.click();"
                                 "await new Promise(r => setTimeout(r, 50)); return b.textContent; })()" % i)
            self.assertIn(said, ("copied", "selected"))
            if said == "selected":
                self.assertEqual(page.evaluate("getSelection().toString()").strip(), text.strip())

    def test_the_legend_has_the_chosen_point_where_there_is_one(self):
        labels = "Chart.getChart('front-chart').legend.legendItems.map(i => [i.text, i.pointStyle])"
        self.assertIn(["chosen point", "rectRot"], self.open("example").evaluate(labels))
        self.assertIn(["point of the front", "circle"], self.open("example").evaluate(labels))
        self.assertNotIn("chosen point", str(self.open("unmet").evaluate(labels)))

    def test_without_a_chosen_point_the_nearest_is_described(self):
        page = self.open("unmet")
        for section in ("kept", "growth", "time"):
            self.assertIn(", the nearest one", page.evaluate(f"document.getElementById('{section}').textContent"))
        self.assertNotIn("chosen point", page.evaluate("document.getElementById('growth').textContent"))

    def test_dark_and_light_differ_and_charts_follow(self):
        page = self.open("example")
        shots = {}
        for dark in (False, True):
            page.dark(dark)
            page.settle()
            rows = browsers.pixels(page.screenshot("front-chart", scale=0.5))
            shots[dark] = luminance(Counter(p for row in rows for p in row).most_common(1)[0][0])
            self.assertGreater(drawn_share(rows), DRAWN_SHARE)
        self.assertGreater(shots[False], 200)
        self.assertLess(shots[True], 60)
        self.assertNotEqual(page.evaluate("Chart.getChart('front-chart').options.color"), "")

    def test_texts_have_the_contrast_that_wcag_asks_for(self):
        # 4.5:1, WCAG 2.1, 1.4.3.
        ratio = """(a, b) => {
          const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
          const light = (hex) => { const [r, g, b] = [1, 3, 5].map(i => channel(parseInt(hex.slice(i, i + 2), 16)));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const style = getComputedStyle(document.documentElement);
          const [x, y] = [a, b].map(n => light(style.getPropertyValue('--' + n).trim()));
          return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); }"""
        for dark in (False, True):
            page = self.open("example", dark=dark)
            for colour in ("text", "soft", "good", "bad", "float16"):
                for background in ("page", "box"):
                    with self.subTest(colour=colour, background=background, dark=dark):
                        self.assertGreaterEqual(page.evaluate(f"({ratio})('{colour}', '{background}')"), 4.5)

    def test_without_scripts_words_and_tables_are_there(self):
        page = self.open("example", scripts=False)
        self.assertIn("Chosen: point 2", page.evaluate("document.getElementById('verdict').textContent"))
        self.assertIn("failed", page.evaluate("document.getElementById('verdict').textContent"))
        self.assertGreater(page.evaluate("document.querySelectorAll('#front tbody tr').length"), 2)
        self.assertIn("Charts need JavaScript", page.evaluate("document.querySelector('noscript').textContent"))

    def test_headings_captions_and_labels(self):
        for name in ("example", "empty", "unmet"):
            page = self.open(name)
            with self.subTest(name):
                self.assertEqual(page.evaluate("document.querySelectorAll('h1').length"), 1)
                self.assertEqual(page.evaluate("document.documentElement.lang"), "en")
                for what in ("[...document.querySelectorAll('table')].filter(t => !t.caption)",
                             "[...document.querySelectorAll('canvas')].filter(c => !c.getAttribute('aria-label'))",
                             "[...document.querySelectorAll('nav a')].filter(a => !document.querySelector(a.hash))",
                             "[...document.querySelectorAll('section')].filter(s => !document.getElementById("
                             "s.getAttribute('aria-labelledby')))",
                             "[...document.querySelectorAll('[id]')].filter(e => document.querySelectorAll("
                             "'#' + e.id).length > 1)"):
                    self.assertEqual(page.evaluate(f"({what}).length"), 0, what)


if __name__ == "__main__":
    if not browsers.find():
        print("SKIPPED: no browser; tests of report.html need Debian's chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="halftone-reports-") as folder:
        FOLDER = pathlib.Path(folder)
        subprocess.run([sys.argv[1], folder], check=True)
        tune_digits(sys.argv[2], pathlib.Path(sys.argv[3]), FOLDER / REAL)
        if len(sys.argv) > 4:
            shots = pathlib.Path(sys.argv[4])
            shots.mkdir(parents=True, exist_ok=True)
            with browsers.Browser(browsers.find()) as browser:
                for example in sorted(FOLDER.iterdir()):
                    for name, settings in (("light", {"width": WIDTHS[0]}), ("dark", {"width": WIDTHS[0], "dark": True}),
                                           ("phone", {"width": WIDTHS[1]}), ("phone_dark", {"width": WIDTHS[1], "dark": True})):
                        page = browser.open(example / "report.html", **settings)
                        (shots / f"{example.name}_{name}.png").write_bytes(page.screenshot())
                        page.close()
        unittest.main(argv=sys.argv[:1], verbosity=2)
