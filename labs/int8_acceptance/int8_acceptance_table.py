#!/usr/bin/env python3
"""The table of labs/int8_acceptance/int8_acceptance.sh from the figures in its folder.

  labs/int8_acceptance/int8_acceptance_table.py DIR [--models=FOLDER] [--rows=1,4] [--command=TEXT] [--version=TEXT] [--commit=ID]

Prints Markdown: a row for each demand with its figures and verdict, then the figures by network. PASS and FAIL are
verdicts; SKIPPED: the networks are not in FOLDER; NOT COMPUTED: the figures should be there and are not, and the exit
code is 1. Ratios of times are new / old, so below 1 is faster. Standard library only; the output depends on the
figures, the machine and the date.
"""

import argparse
import datetime
import json
import math
import pathlib
import platform
import re
import statistics
import sys
import xml.etree.ElementTree

LARGEST_FITTED_LOSS = 0.1  # as search/model/additive_model.cc: no sum of small errors beyond
DB_OF_EXACT = 140  # as kMostDecibels of search/trial/front_quality.h
MOST_MINUTES = 10
# Networks of row 6 whose times docs/measurements/performance.md compares with int8 of ONNX Runtime.
COMPARED = ("dnsmos", "super-resolution", "yolox-nano", "light_bert_base", "light_efficientnet_b0", "light_mobilenet_v2",
            "light_resnet50", "light_squeezenet", "light_vgg19", "light_vit_b_16")
INT8 = ("int8", "int8, float32 ends", "int8 and float16, float32 ends")
# All int8 as it is meant: what Softmax and the outputs read stays in float32. LITERAL: every operator that can be.
ALL, LITERAL = "int8, float32 ends", "int8"
THEIRS = "theirs int8"
# Flags of /proc/cpuinfo of the instruction sets that tests are limited to.
OF_CPU = {"avx2": "avx2", "avx512": "avx512f", "avx512_bf16": "avx512_bf16", "avx512_vnni": "avx512_vnni",
          "avx512_fp16": "avx512_fp16", "amx_bf16": "amx_bf16", "amx_int8": "amx_int8"}


class Missing(Exception):
    """Figures that should be there and are not, or are skipped."""

    def __init__(self, reason, skipped=False):
        super().__init__(reason)
        self.skipped = skipped


def geometric_mean(numbers):
    return math.exp(statistics.fmean(math.log(number) for number in numbers))


def ranks(numbers):
    """Ranks from 0, equal numbers share their mean rank."""
    order = sorted(range(len(numbers)), key=lambda i: numbers[i])
    result = [0.0] * len(numbers)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and numbers[order[end]] == numbers[order[begin]]:
            end += 1
        for i in order[begin:end]:
            result[i] = (begin + end - 1) / 2
        begin = end
    return result


def rank_correlation(a, b):
    """Spearman's, which equal ranks do not disturb; None where one has no order."""
    x, y = ranks(a), ranks(b)
    mx, my = statistics.fmean(x), statistics.fmean(y)
    spread = math.sqrt(sum((v - mx) ** 2 for v in x) * sum((v - my) ** 2 for v in y))
    return sum((v - mx) * (w - my) for v, w in zip(x, y)) / spread if spread > 0 else None


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


class Figures:
    def __init__(self, folder, models):
        self.folder = folder
        self.models = models

    def there(self, network):
        if network == "digits":
            return True
        return self.models is None or (self.models / network.replace("light_", "light/") / "model.onnx").exists()

    def part(self, name):
        """By network, in the order of names; networks that failed have an 'error'."""
        rows = {}
        for path in sorted((self.folder / name).glob("*.json")):
            rows[path.stem] = load(path)["networks"][0]
        return rows

    def front(self, network, kind):
        return load(self.folder / "tune" / network / kind / "front.json")

    def tuned(self):
        return sorted(path.name for path in (self.folder / "tune").glob("*") if path.is_dir())


def need(rows, wanted, figures, what):
    """Error where none of the wanted networks has figures."""
    if not any(network in rows and "error" not in rows[network] for network in wanted):
        if not any(figures.there(network) for network in wanted):
            raise Missing(f"none of {', '.join(wanted)} is in the folder of networks", skipped=True)
        reasons = [f"{name}: {row['error']}" for name, row in rows.items() if "error" in row]
        raise Missing("; ".join(reasons) or f"no figures of {what}")


def verdict(failures):
    return "PASS" if not failures else "FAIL: " + "; ".join(failures)


def cell(text):
    return " ".join(str(text).replace("|", "\\|").split())


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|---" * len(heading) + "|"]
    return lines + ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]


# ---- Tests ------------------------------------------------------------------------------------


def golden(figures):
    report = load(figures.folder / "golden.json")
    if report is None:
        raise Missing("halftone_quantization_tests did not run: build it, or leave --no_build out")
    failed = [f"{suite['name']}.{test['name']}" for suite in report["testsuites"] for test in suite["testsuite"]
              if "failures" in test]
    suites = [suite["name"] for suite in report["testsuites"] if "Golden" in suite["name"]]
    count = sum(suite["tests"] for suite in report["testsuites"] if suite["name"] in suites)
    measured = f"{report['tests'] - len(failed)} of {report['tests']} tests pass; {count} golden ones in {', '.join(suites)}"
    return measured, verdict([f"{name} fails" for name in failed]), []


def kernels(figures):
    try:
        cases = xml.etree.ElementTree.parse(figures.folder / "kernels.xml").iter("testcase")
    except FileNotFoundError:
        raise Missing("the tests of kernels did not run: build halftone_kernels_tests") from None
    by_isa, failed, absent = {}, [], set()
    present = set(flags())
    for case in cases:
        isa = case.get("name").partition(".")[2] or "this CPU"
        if case.get("status") == "fail" or case.find("failure") is not None:
            failed.append(case.get("name"))
        elif isa in OF_CPU and OF_CPU[isa] not in present:
            absent.add(isa)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            absent.add(isa)
        else:
            by_isa[isa] = by_isa.get(isa, 0) + 1
    if not by_isa and not failed:
        raise Missing("no test of quantised kernels ran: build halftone_kernels_tests")
    ran = ", ".join(f"{isa.replace('traps.', 'emulated ')} {count}" for isa, count in sorted(by_isa.items()))
    missing = sorted(absent - set(by_isa))
    measured = f"families of tests that pass: {ran}" + (f"; not in this CPU: {', '.join(missing)}" if missing else "")
    measured += "; K = 33025 with the largest operands is among the products of each"
    return measured, verdict([f"{name} fails" for name in failed]), []


def qdq(figures):
    report = load(figures.folder / "qdq.json")
    if report is None or report["tests"] == 0:
        raise Missing("not available yet: no test of QDQ files in ONNX Runtime is built")
    log = (figures.folder / "qdq.log").read_text(encoding="utf-8")
    pattern = re.compile(r"^(\S+) in ONNX Runtime (\S+): (\d+) tensors, (\d+) samples, (\d+) of (\d+) integers equal, "
                         r"largest difference (\d+) steps, top-1 the same in (\d+)", re.MULTILINE)
    found = pattern.findall(log)
    if not found:
        raise Missing("the tests of QDQ files were skipped: no ONNX Runtime, or no networks", skipped=True)
    texts, failures = [], []
    for name, version, _, samples, equal, elements, largest, top1 in found:
        share = int(equal) / int(elements)
        texts.append(f"{name}: {100 * share:.4f} % of {int(elements):,} integers equal, largest difference {largest}, "
                     f"top-1 the same in {top1} of {samples} (ONNX Runtime {version})")
        if share < 0.999:
            failures.append(f"{name}: {100 * share:.2f} % equal, demanded 99.9")
        if int(top1) != int(samples):
            failures.append(f"{name}: top-1 differs")
        # Behind a first difference of one step operands differ, and with them any result.
        if int(largest) > 1:
            failures.append(f"{name}: {largest} steps apart, behind operands that differ (each operator on equal operands "
                            "is within 1)" if report["failures"] == 0 else f"{name}: {largest} steps apart")
    point = figures.part("qdq_point").get("squeezenet", {})
    if "sqnr_db" in point:
        texts.append(f"tuned squeezenet: {point['tensors']} tensors, {point['products']} products in 8 bits, outputs "
                     f"{point['sqnr_db']:.1f} dB from halftone's, top-1 the same in {100 * point['top1_agreement']:.1f} % of "
                     f"{point['samples']}")
        if point["top1_agreement"] < 1:
            failures.append("tuned squeezenet: top-1 differs")
    else:
        texts.append(f"tuned squeezenet: {point.get('error', 'not measured')}")
    failures += [f"{suite['name']}.{test['name']} fails" for suite in report["testsuites"]
                 for test in suite["testsuite"] if "failures" in test]
    return "; ".join(texts), verdict(failures), []


# ---- Accuracy ---------------------------------------------------------------------------------


def is_quantised(point):
    return any("qint8" in value for value in point["options"].get("node_formats", {}).values())


def best_mixed(figures, network, measure):
    """The quantised point of the tuned front with the best value; None without one."""
    front = figures.front(network, "on")
    points = [point for point in front["front"] if is_quantised(point)] if front else []
    return max(points, key=measure, default=None)


def sqnr(point):
    return point["accuracy"]["sqnr_db"]["mean"]


def agreement(point):
    """Least share of classes that stay, on the samples of the search and on held-out ones."""
    parts = [point["accuracy"], point.get("heldout_accuracy") or {}]
    return min((part["top1_agreement"]["mean"] for part in parts if "top1_agreement" in part), default=0)


def accuracy(figures):
    wanted = ("micro-kws", "squeezenet", "mnist", "digits", "magika", "stories260k", "katago-resnet-b6c96",
              "katago-transformer-b7c96")
    rows = figures.part("accuracy")
    need(rows, wanted, figures, "accuracy")
    failures, texts, details = [], [], []
    for name in wanted:
        row = rows.get(name)
        if row is None or "error" in row:
            texts.append(f"{name} SKIPPED" if not figures.there(name) else f"{name}: {(row or {}).get('error', 'no figures')}")
            continue
        int8, literal = row["plans"][ALL], row["plans"][LITERAL]
        if "rejected" in literal:
            failures.append(f"{name} in int8 wherever it can be: {literal['rejected']}")
        if "rejected" in int8:
            failures.append(f"{name}: {int8['rejected']}")
            continue
        none = row["plans_without_bias_correction"][ALL].get("sqnr_db", math.nan)
        mixed = best_mixed(figures, name, sqnr)
        drop = row["float32_top1"] - int8["top1"] if "top1" in int8 else None
        agreed = int8.get("top1_agreement")
        details.append([
            name, row["samples"], f"{row['calibration_samples']}{' (of these)' if row['flatters'] else ''}",
            f"{int8['groups']} of {row['groups']}", f"{int8['sqnr_db']:.1f}", f"{none:.1f}",
            f"{literal.get('sqnr_db', math.nan):.1f}",
            "" if agreed is None else f"{100 * agreed:.2f} %",
            "" if drop is None else f"{100 * row['float32_top1']:.2f} -> {100 * int8['top1']:.2f} %",
            "" if mixed is None else f"{sqnr(mixed):.1f} dB, {mixed['speed_up']:.2f}x"])
        if name == "micro-kws":
            rival = figures.part("rival").get("micro-kws")
            if rival and "error" not in rival:
                texts.append(f"micro-kws {int8['sqnr_db']:.1f} dB, micro-kws-qdq {rival['sqnr_db']:.1f} dB")
                if int8["sqnr_db"] < rival["sqnr_db"]:
                    failures.append("micro-kws is less accurate than micro-kws-qdq")
            else:
                texts.append(f"micro-kws {int8['sqnr_db']:.1f} dB, micro-kws-qdq SKIPPED")
        elif name == "squeezenet":
            same = round(agreed * row["samples"])
            classes = best_mixed(figures, name, lambda p: (agreement(p), p["speed_up"]))
            share = None if classes is None else agreement(classes)
            texts.append(f"squeezenet {same} of {row['samples']} classes" + (
                "" if share is None else f", best mixed point {100 * share:.1f} % (held-out samples too) at {classes['speed_up']:.2f}x"))
            if same < 22 * row["samples"] / 24:
                failures.append(f"squeezenet keeps {same} of {row['samples']} classes, demanded 22 of 24")
            if share is not None and share < 1:
                failures.append(f"the best mixed point of squeezenet keeps {100 * share:.1f} % of the classes, demanded all")
        elif drop is not None:
            texts.append(f"{name} drop {100 * drop:.2f} %")
            most = {"mnist": 0.001, "digits": 0.005, "magika": 0.0}.get(name)
            if most is not None and drop > most:
                better = best_mixed(figures, name, agreement)
                kept = "" if better is None else (f" (best mixed point: {100 * agreement(better):.2f} % of the classes stay, "
                                                  f"{better['speed_up']:.2f}x)")
                failures.append(f"{name} drops {100 * drop:.2f} %, allowed {100 * most:g} %{kept}")
        else:
            texts.append(f"{name} {int8['sqnr_db']:.1f} dB")
    heading = ["network", "samples", "calibrated on", "groups in int8", "int8, dB", "without bias correction, dB",
               "wherever it can be, dB", "same class", "top-1", "most accurate tuned point with int8"]
    return "; ".join(texts), verdict(failures), [("Row 4: accuracy of int8; chains in 8 bits end in float32", table(heading, details))]


def peer_error(figures):
    wanted = COMPARED + ("squeezenet", "deeplab-mnv2-portrait", "katago-resnet-b6c96")
    rows = figures.part("error")
    need(rows, wanted, figures, "errors against ONNX Runtime")
    failures, details, ratios = [], [], {}
    for name, row in rows.items():
        if "error" in row or "theirs_missing" in row:
            details.append([name, f"{row['ours'][ALL]:.2e}" if "ours" in row else "-", "-", "-", "-",
                            (row.get("error") or row["theirs_missing"])[:120]])
            continue
        ours, literal = row["ours"][ALL], row["ours"][LITERAL]
        if not ours or not row["theirs"]:
            details.append([name, ours, literal, row["theirs"], "-", "an output is not finite, or the errors are 0"])
            continue
        ratio = ours / row["theirs"]
        ratios[name] = ratio
        details.append([name, f"{ours:.2e}", f"{literal or math.nan:.2e}", f"{row['theirs']:.2e}", f"{ratio:.2f}",
                        "random weights" if row["random_weights"] else ""])
        if ratio > 1:
            failures.append(f"{name}: {ratio:.2f} of its error, demanded at most 1")
    if not ratios:
        raise Missing("ONNX Runtime has int8 of none of the networks")
    mean = geometric_mean(ratios.values())
    if mean > 0.5:
        failures.append(f"geometric mean {mean:.2f}, demanded 0.5")
    absent = [name for name in COMPARED if name not in ratios]
    measured = f"error of ours / theirs: geometric mean {mean:.2f} of {len(ratios)} networks, worst {max(ratios.values()):.2f}"
    if absent:
        measured += f"; without {', '.join(absent)}"
    return measured, verdict(failures), [("Row 5: relative L2 error of int8, both calibrated on the sample that is measured",
                                          table(["network", "ours", "wherever it can be", "ONNX Runtime", "ratio", "note"], details))]


def speed(figures):
    wanted = COMPARED + ("squeezenet", "deeplab-mnv2-portrait", "katago-resnet-b6c96")
    rows = figures.part("speed")
    need(rows, wanted, figures, "speed against ONNX Runtime")
    failures, details, to_16, to_theirs, busy = [], [], {}, {}, []
    for name, row in rows.items():
        if "error" in row:
            details.append([name, "-", "-", "-", "-", "-", "-", row["error"][:120]])
            continue
        ratio = row["ratio"]
        int8 = min((n for n in INT8 if n in ratio), key=ratio.get)
        half = min((n for n in ratio if n not in INT8 and n != THEIRS), key=ratio.get)
        to_16[name] = ratio[int8] / ratio[half]
        theirs = ratio.get(THEIRS)
        if theirs:
            to_theirs[name] = ratio[int8] / theirs
            if to_theirs[name] > 1.05:
                failures.append(f"{name}: {to_theirs[name]:.2f} of the time of ONNX Runtime")
        busy.append(row["other_cores"])
        details.append([name, f"{row['float32_ms']:.3f}", f"{ratio[int8]:.2f} ({int8})", f"{ratio[half]:.2f} ({half})",
                        f"{theirs:.2f}" if theirs else "-", f"{to_16[name]:.2f}",
                        f"{to_theirs[name]:.2f}" if theirs else "-",
                        (row["missing"].get(THEIRS, "") or "")[:100]])
    if not to_16:
        raise Missing("no network could be timed")
    of_table = [to_16[name] for name in COMPARED if name in to_16]
    mean = geometric_mean(of_table or to_16.values())
    if mean > 0.74:
        failures.insert(0, f"int8 / 16 bits is {mean:.2f} in the geometric mean, demanded 0.74")
    measured = (f"int8 / fastest 16-bit plan: geometric mean {mean:.2f} of {len(of_table or to_16)} networks; int8 / int8 of ONNX "
                f"Runtime: {geometric_mean(to_theirs.values()):.2f} of {len(to_theirs)}, worst {max(to_theirs.values()):.2f}"
                if to_theirs else f"int8 / fastest 16-bit plan: geometric mean {mean:.2f}; ONNX Runtime has int8 of none")
    measured += f"; AMX: {'not timed' if 'amx_int8' in flags() else 'not on this CPU'}; other programs kept up to " \
                f"{max(busy):.1f} cores busy"
    heading = ["network", "float32, ms", "int8 / float32", "16 bits / float32", "ONNX Runtime int8 / float32", "int8 / 16 bits",
               "int8 / ONNX Runtime", "note"]
    return measured, verdict(failures), [("Row 6: time of uniform plans, in turns with float32", table(heading, details))]


# ---- Search -----------------------------------------------------------------------------------


def hypervolume(front):
    """FrontQuality() of search/trial/front_quality.h."""
    points = []
    for point in front["front"]:
        decibels = min(sqnr(point) if "sqnr_db" in point["accuracy"] else 0, DB_OF_EXACT)
        if decibels > 0 and point["latency_ratio"] < 1:
            points.append((point["latency_ratio"], 1 - decibels / DB_OF_EXACT))
    area, height = 0.0, 1.0
    for latency, loss in sorted(points):
        if loss < height:
            area += (1 - latency) * (height - loss)
            height = loss
    return area


def fastest_at(front, decibels):
    """Speed-up of the fastest point with so many decibels, at least 1: float32 is always there."""
    kept = [point["speed_up"] for point in front["front"] if "sqnr_db" in point["accuracy"] and sqnr(point) >= decibels]
    return max(kept + [1.0])


def fronts(figures):
    details, failures, gains = [], [], {30: {}, 40: {}}
    count, larger, unused = 0, 0, []
    for name in figures.tuned():
        on, off = figures.front(name, "on"), figures.front(name, "off")
        if on is None or off is None:
            continue
        count += 1
        with_int8, without = hypervolume(on), hypervolume(off)
        quantised = sum(is_quantised(point) for point in on["front"])
        if not quantised:
            unused.append(name)
        larger += with_int8 >= without
        for decibels in gains:
            gains[decibels][name] = fastest_at(on, decibels) / fastest_at(off, decibels)
        details.append([name, f"{without:.4f}", f"{with_int8:.4f}", f"{quantised} of {len(on['front'])}",
                        *(f"{fastest_at(off, d):.2f} -> {fastest_at(on, d):.2f}" for d in gains),
                        f"{off['search']['measured']}, {on['search']['measured']}"])
    if not count:
        if figures.models is not None and not figures.models.is_dir():
            raise Missing(f"there is no folder {figures.models}", skipped=True)
        raise Missing("no network was tuned with 8 bits and without")
    for decibels, demanded in ((30, 8), (40, 4)):
        won = sum(gain >= 1.2 for gain in gains[decibels].values())
        if won < demanded:
            failures.append(f"{won} of {count} networks gain 1.2x at {decibels} dB, demanded {demanded} of 24")
    fell = [row[0] for row in details if float(row[2]) < float(row[1])]
    if fell:
        failures.insert(0, f"the hypervolume is smaller with int8 in {len(fell)} (noise included): {', '.join(fell)}")
    measured = (f"hypervolume not smaller in {larger} of {count} networks; gain of 1.2x or more at 30 dB in "
                f"{sum(g >= 1.2 for g in gains[30].values())}, at 40 dB in {sum(g >= 1.2 for g in gains[40].values())}; no int8 "
                f"on the front of {', '.join(unused) or 'none'}")
    heading = ["network", "hypervolume, off", "on", "points with int8", "fastest at 30 dB, off -> on", "at 40 dB", "plans measured"]
    return measured, verdict(failures), [("Row 7: fronts with --quantize=off and on, equal numbers of evaluations",
                                          table(heading, details))]


def decibels_of(objectives):
    return -20 * math.log10(objectives["rel_l2"]) if objectives.get("rel_l2", 0) > 0 else None


def predictions(figures, network, kind, every=False):
    """(predicted, measured) dB of plans with int8, or of every plan that was predicted."""
    front = figures.front(network, kind)
    pairs = []
    for one in (front or {}).get("predictions", []):
        if every or "int8" in one["configuration"]:
            pair = decibels_of(one["predicted"]), decibels_of(one["measured"])
            if None not in pair:
                pairs.append(pair)
    return pairs


def median_error(pairs):
    return statistics.median(abs(p - m) for p, m in pairs)


def probes_alone(figures):
    """Rows of a table, and by network the median of predicted less measured dB with bias correction and without: above 0
    where errors are larger than their powers' sum, as those with means are."""
    rows, biases = [], {}
    for name, row in figures.part("prediction").items():
        medians = []
        for kind in ("plans", "plans_without_bias_correction"):
            off = [20 * math.log10(plan["measured"] / plan["predicted"]) for plan in row.get(kind, [])
                   if plan["quantised"] and plan["predicted"] > 0 and 0 < plan["measured"] <= LARGEST_FITTED_LOSS]
            if len(off) >= 3:
                medians.append(statistics.median(off))
                count = len(off)
        if len(medians) == 2:
            biases[name] = tuple(medians)
            rows.append([name, count, *(f"{median:+.2f}" for median in medians)])
    return rows, biases


def predicted(figures):
    details, medians, correlations, apart = [], {}, {}, []
    for name in figures.tuned():
        pairs = predictions(figures, name, "on")
        if len(pairs) < 3:
            continue
        medians[name] = median_error(pairs)
        apart += [abs(p - m) for p, m in pairs]
        correlation = rank_correlation(*zip(*predictions(figures, name, "on", every=True)))
        if correlation is not None:
            correlations[name] = correlation
        details.append([name, len(pairs), f"{medians[name]:.2f}", "-" if correlation is None else f"{correlation:.2f}"])
    if not medians:
        if figures.models is not None and not figures.models.is_dir():
            raise Missing(f"there is no folder {figures.models}", skipped=True)
        raise Missing("no tuning run predicted plans with 8 bits")
    failures = []
    median, correlation = statistics.median(apart), statistics.median(correlations.values())
    if median > 1.5:
        failures.append(f"median error {median:.2f} dB, demanded 1.5")
    if correlation < 0.9:
        failures.append(f"rank correlation {correlation:.2f} in the median network, demanded 0.9")
    contrast, biases = probes_alone(figures)
    if contrast and not any(abs(without) > max(1.5, 2 * abs(with_it)) and without > with_it for with_it, without in biases.values()):
        failures.append("without bias correction the predictions do not fail visibly")
    contrast_text = "; ".join(f"{name} {with_it:+.1f} dB, without bias correction {without:+.1f}"
                              for name, (with_it, without) in biases.items())
    measured = (f"median error {median:.2f} dB of {len(apart)} plans with int8 in {len(medians)} networks; rank correlation "
                f"{correlation:.2f} in the median network" + (f"; {contrast_text}" if contrast else ""))
    heading = ["network", "plans with int8", "median error, dB", "rank correlation, all plans"]
    tables = [("Row 8: predicted against measured error of plans with int8", table(heading, details))]
    if contrast:
        tables.append(("Row 8: the same before any plan taught the model, predicted less measured dB in the median",
                       table(["network", "plans with int8", "with bias correction", "without"], contrast)))
    return measured, verdict(failures), tables


def cost(figures):
    rows = figures.part("cost")
    need(rows, ("squeezenet",), figures, "costs")
    row = rows["squeezenet"]
    more = max(0.0, row["probes_s"] - row["probes_without_int8_s"])
    spent = row["calibration_s"] + more
    share = spent / (60 * MOST_MINUTES)
    measured = (f"calibration {row['calibration_s']:.1f} s, probes {row['probes_s']:.1f} s ({row['probes_without_int8_s']:.1f} s without "
                f"int8) on {row['samples']} samples of squeezenet: {100 * share:.1f} % of {MOST_MINUTES} minutes; peak memory "
                f"{row['peak_bytes'] / 2**20:.0f} MiB, no limit (--max_memory) given")
    return measured, verdict([f"{100 * share:.1f} % of the budget, allowed 15 %"] if share > 0.15 else []), []


ROWS = (
    (1, "scales, zero points and ranges of 200 golden cases to the last bit, methods against slow transcriptions", golden),
    (2, "integer kernels equal to the reference to the bit on every instruction set, K = 33025", kernels),
    (3, "QDQ file in ONNX Runtime: within 1 step, 99.9 % equal, top-1 the same", qdq),
    (4, "micro-kws not less accurate than micro-kws-qdq; squeezenet 22 of 24 classes, best mixed point 24; drop of mnist 0.1 %, "
        "digits 0.5 %, magika 0", accuracy),
    (5, "error of int8 at most that of ONNX Runtime in each network, 0.5 of it in the geometric mean", peer_error),
    (6, "fastest int8 plan 0.74 of the fastest 16-bit plan; at most 1.05 of int8 of ONNX Runtime; AMX 1.5x VNNI", speed),
    (7, "hypervolume never falls; 1.2x in 8 of 24 networks at 30 dB, in 4 at 40 dB; int8 left out where it does not pay", fronts),
    (8, "predicted error of int8 plans within 1.5 dB in the median, rank correlation 0.9; fails without bias correction",
     predicted),
    (9, "calibration and probes of int8 15 % of 10 minutes; memory below --max_memory", cost),
)


def cpu_field(name):
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(rf"^{name}\s*: (.*)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def flags():
    return cpu_field("flags").split()


def machine():
    family, model = cpu_field("cpu family"), cpu_field("model")
    name = cpu_field("model name") or platform.machine()
    return f"{name} (family {family}, model {model})" if family else name


def main():
    parser = argparse.ArgumentParser(description="The table of labs/int8_acceptance/int8_acceptance.sh.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--rows", default=",".join(str(row[0]) for row in ROWS))
    parser.add_argument("--command", default="labs/int8_acceptance/int8_acceptance.sh")
    parser.add_argument("--version", default="")
    parser.add_argument("--commit", default="")
    arguments = parser.parse_args()
    figures = Figures(arguments.folder, arguments.models)
    wanted = {int(row) for row in arguments.rows.split(",")}
    lines, details, code = [], [], 0
    for number, demand, measure in ROWS:
        if number not in wanted:
            continue
        try:
            measured, judged, more = measure(figures)
            details += more
        except Missing as missing:
            measured, judged = "-", ("SKIPPED: " if missing.skipped else "NOT COMPUTED: ") + str(missing)
            code = code if missing.skipped else 1
        lines.append([number, demand, measured, judged])
    runtimes = {row.get("onnxruntime") for path in arguments.folder.glob("[es][rp]*/*.json") if (row := load(path))}
    print(f"{machine()}, {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, {arguments.version or 'halftone'}"
          f"{', commit ' + arguments.commit if arguments.commit else ''}"
          f"{', ONNX Runtime ' + ', '.join(sorted(r for r in runtimes if r)) if any(runtimes) else ''}; `{arguments.command.strip()}`")
    print()
    print("\n".join(table(["row", "demand", "measured", "verdict"], lines)))
    for title, more in details:
        print(f"\n## {title}\n")
        print("\n".join(more))
    sys.exit(code)


if __name__ == "__main__":
    main()
