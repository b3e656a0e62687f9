"""Tests how the command line is parsed."""
import json
import pathlib
import re

from harness import case, check, without_next


@case
def a_run_without_arguments_prints_the_usage(t):
    check(t.run(), 2, "", "Usage: hprof-agg [COMMAND]")


@case
def help_lists_commands_options_and_formats(t):
    for args in (["help"], ["--help"], ["-h"]):
        out = check(t.run(*args), 0, "Usage: hprof-agg [COMMAND]", "").out
        assert out.count("\n") <= 50 and max(map(len, out.splitlines())) <= 80, out
        commands, _, options = out.partition("\nCommon options\n")
        assert len(re.findall(r"^  [a-z]", commands, re.M)) == 14, commands
        assert len(re.findall(r"^  +-", options, re.M)) == 16, options
    everything = check(t.run("help", "--all"), 0, "Usage: hprof-agg [COMMAND]", "").out
    for word in ("stacks", "digest", "--files-from=FILE", "-n, --limit=N", "folded"):
        assert word in everything, word
    assert check(t.run("help", "formats"), 0).out.strip() in everything


@case
def help_of_a_command_is_one_screen_of_its_options(t):
    everything = check(t.run("help", "--all")).out
    assert set(t.entries("Commands")) >= {*t.reports(), "digest"}
    for command in t.entries("Commands"):
        out = check(t.run("help", command), 0, "Usage: hprof-", "").out
        assert out.count("\n") <= 60 and max(map(len, out.splitlines())) <= 80, (command, out)
        if command != "jeprof":
            for option in re.findall(r"^  +(?:-\w, )?--([a-z-]+)", out, re.M):
                assert f"--{option}" in everything, option
                assert f"--{option}" in check(t.run("help", "--all", command)).out, (command, option)


@case
def help_of_a_command_omits_options_of_other_commands(t):
    wanted = check(t.run("help", "top"), 0, "--cum").out
    assert t.run("top", "--help").out == wanted
    assert "--cum" not in check(t.run("help", "--all", "info")).out
    assert "--cum" not in check(t.run("info", "-v", "--help")).out


@case
def help_of_a_command_lists_its_formats(t):
    for command, takes in t.reports().items():
        out = check(t.run("help", "--all", command, env={"COLUMNS": "200"}), 0).out
        shown = re.search("^  -f, --format.*: (.*)$", out, re.M)[1].split(", ")
        assert re.findall(r"^  (\w+) ", out.partition("\nFormats")[2], re.M) == shown, out
        wrong = next(name for name in ("difffolded", "json", "folded") if name not in shown)
        check(t.codes(command, "-f", wrong, *["x"] * takes.startswith("REGEX "), *t.procs[:2]), 2, "",
              f"format-not-of-command: {command}  {wrong} {', '.join(shown)}\n")


@case
def help_of_a_format_is_that_of_merge(t):
    check(t.run("help", "folded"), 0, "Usage: hprof-agg merge")


@case
def help_fits_the_columns(t):
    for columns in (40, 59, 60, 80, 132):
        for topic in ([], ["--all"], *([*more, command] for command in t.reports() for more in ([], ["--all"]))):
            out = t.run("help", *topic, env={"COLUMNS": str(columns)}).out
            assert max(map(len, out.splitlines())) <= columns, (columns, topic)
    assert max(map(len, t.run("help").out.splitlines())) <= 80
    assert t.run("help", env={"COLUMNS": "nonsense"}).out == t.run("help").out


@case
def codes_and_values_replace_the_sentences_of_messages(t):
    check(t.codes("top", "absent"), 5, "", "hprof-agg: absent: file-not-opened: No such file or directory\n")
    check(t.codes("jeprof", "--text"), 1, "", "hprof-agg: jeprof-no-program\n")
    words = ("top", "-v", "--on-duplicate=skip", t.dump, t.dump)
    assert "warning: inputs-repeated: 1 2\n" in check(t.codes(*words)).out
    assert "warning: inputs-repeated: 1 2\n" not in check(t.run(*words)).out


@case
def the_option_for_codes_of_messages_is_for_tests(t):
    check(t.codes("top", "--message-codes", t.dump), 2, "", "option-unknown: message-codes")
    assert "message-codes" not in check(t.run("help", "top")).out


@case
def version_is_one_line(t):
    result = check(t.run("version"), 0, "hprof-agg ", "")
    assert result.out.count("\n") == 1
    assert t.run("--version").out == result.out


@case
def version_prints_the_licences_of_its_parts(t):
    own = (pathlib.Path(__file__).resolve().parents[2] / "LICENSE").read_text()
    assert check(t.run("version", "--licenses"), 0, own, "").out == own
    check(t.codes("top", "--licenses", t.dump), 2, "", "option-not-of-command: top licenses")


@case
def version_prints_its_build_options(t):
    features = check(t.run("version", "--build-options"), err="").out
    assert re.fullmatch("symbols (yes|no)\ndemangling (yes|no)\nxz (yes|no)\nzstd (yes|no)\nstatistics (yes|no)\nsandbox (yes|lacks .+)\n", features), features


@case
def version_and_help_reject_operands(t):
    check(t.codes("version", "x"), 2, "", "word-too-many: x")
    check(t.codes("help", "top", "x"), 2, "", "word-too-many: x")


@case
def unknown_command_suggests_the_nearest(t):
    check(t.codes("tpo", t.dump), 2, "", "command-did-you-mean: tpo top")
    check(t.codes("foldde", t.dump), 2, "", "command-did-you-mean: foldde folded")
    check(t.codes("xyzzyxyzzy"), 2, "", "command-unknown: xyzzyxyzzy")


@case
def unknown_option_suggests_the_nearest(t):
    check(t.codes("top", "--limt=3", t.dump), 2, "",
          "option-did-you-mean: limt limit")
    check(t.codes("top", "-Z", t.dump), 2, "", "letter-unknown: Z")


@case
def no_input_is_a_usage_error(t):
    check(t.codes("top"), 2, "", "no-input")
    check(t.codes("top", "-n", "3"), 2, "", "no-input")
    check(t.codes("--no-symbols"), 2, "", "no-command")


@case
def options_can_be_abbreviated(t):
    wanted = without_next(check(t.run("top", "--no-symbols", "--limit=1", t.dump)).out)
    assert without_next(t.run("top", "--no-s", "--lim=1", t.dump).out) == wanted


@case
def an_ambiguous_abbreviation_names_the_candidates(t):
    check(t.run("top", "--s=x", t.dump), 2, "",
          "--show-from, --sort, --see, --sample-cost, --symbol-dir")


@case
def a_full_name_wins_over_longer_ones(t):
    check(t.run("top", "--help"), 0)
    check(t.codes("top", "--no-symbols", "--null", t.dump), 2, "",
          "null-alone")


@case
def values_of_options_have_several_forms(t):
    wanted = check(t.run("top", "--no-symbols", "--limit=1", t.dump)).out
    for args in (["--limit", "1"], ["-n1"], ["-n", "1"], ["-qn1"], ["--limit=9", "-n1"]):
        assert t.run("top", "--no-symbols", *args, t.dump).out == wanted, args


@case
def options_and_inputs_can_be_mixed(t):
    wanted = check(t.run("top", "--no-symbols", "-n1", t.dump)).out
    assert t.run("top", t.dump, "-n1", "--no-symbols").out == wanted
    assert t.run("-n1", "top", t.dump, "--no-symbols").out == wanted


@case
def two_dashes_end_the_options(t):
    t.copy("--cum")
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    assert without_next(t.run("top", "--no-symbols", "--", "--cum").out) == without_next(wanted)


@case
def a_missing_or_needless_value_is_an_error(t):
    check(t.codes("top", t.dump, "--limit"), 2, "", "option-needs-value: limit limit N")
    check(t.codes("top", t.dump, "-n"), 2, "", "option-needs-value: limit limit N")
    check(t.codes("top", t.dump, "--cum=3"), 2, "", "option-takes-no-value: cum")
    check(t.codes("top", t.dump, "--output="), 2, "", "value-empty: output FILE")


@case
def wrong_values_are_errors(t):
    for option in ("--limit=x", "--limit=-1", "--limit=1x", "--limit=", "--jobs=two",
                   "--max-skipped=x", "--max-skipped=101%", "--max-skipped=-1",
                   "--max-skipped=%", "--max-skipped=nan%", "--path-map=x",
                   "--path-map==x", "--limit=99999999999999999999"):
        result = check(t.codes("top", option, t.dump), 2, "", option.split("=")[0].removeprefix("--") + " ")
        assert result.err.count("\n") == 1


@case
def a_wrong_choice_suggests_or_lists(t):
    check(t.codes("top", "--by=lnie", t.dump), 2, "", "choice-did-you-mean: by lnie line")
    check(t.codes("top", "--by=zzzzzz", t.dump), 2, "",
          "choice-label: by zzzzzz zzzzzz")
    check(t.run("top", "--by=label", t.dump), 2, "", "thread, label:KEY")
    check(t.codes("top", "--format=fold", t.dump), 2, "", "choice-did-you-mean: format fold folded")


@case
def a_mistyped_unit_suggests_the_unit(t):
    for typed, unit in (("MB", "MiB"), ("mb", "MiB"), ("m", "MiB"), ("mib", "MiB"), ("kB", "KiB"), ("G", "GiB")):
        check(t.codes("top", f"--unit={typed}", t.dump), 2, "", f"choice-did-you-mean: unit {typed} {unit}\n")
        check(t.codes("top", f"--max-memory=8{typed}", t.dump), 2, "",
              f"value-did-you-mean: max-memory 8{typed} {unit}\n")
        for rest in ("", ",p<0.01"):
            check(t.codes("diff", f"--fail-if=growth>1.5{typed}{rest}", t.dump, t.other), 2, "",
                  f"value-did-you-mean: fail-if growth>1.5{typed}{rest} {unit}\n")
    check(t.codes("top", "--unit=TB", t.dump), 2, "", "choice-did-you-mean: unit TB B")
    check(t.codes("top", "--max-memory=8XB", t.dump), 2, "", "value-wrong: max-memory ")


@case
def info_shows_the_memory_limit_and_its_source(t):
    info = ("info", "--no-symbols", t.dump)
    assert "  limit " not in check(t.run(*info)).out
    large = 900000  # GiB, so large that sanitizers can reserve their memory
    assert f"\nmemory\n  limit        {large}.0 GiB, by --max-memory\n" in check(
        t.run(*info, "-v", f"--max-memory={large}GiB")).out
    assert "\nmemory\n" not in check(t.run(*info, "-v", "--max-memory=none")).out
    told = json.loads(check(t.run(*info, "-fjson", "-v", f"--max-memory={large}GiB")).out)
    assert told["memory_limit"] == f"{large}.0 GiB, by --max-memory", told
    for words in (["-v", "--max-memory=none"], [f"--max-memory={large}GiB"]):
        assert "memory_limit" not in json.loads(check(t.run(*info, "-fjson", *words)).out), words


@case
def an_option_of_another_command_is_an_error(t):
    check(t.codes("info", "-v", "--cum", t.dump), 2, "", "option-not-of-command: info cum")
    check(t.codes("merge", "-ffolded", "--limit=3", t.dump), 2, "", "option-not-of-command: merge limit")


@case
def merge_writes_pprof_by_default(t):
    wanted = check(t.run("merge", "--format=pprof", "--no-symbols", t.dump)).out
    assert wanted.startswith("\x1f\udc8b")
    assert check(t.run("merge", "--no-symbols", t.dump)).out == wanted


@case
def options_of_pprof_work_with_its_format_only(t):
    for option in ("--flavor=datadog", "--with-error", "--max-samples=9", "--max-depth=9"):
        name = option.partition("=")[0].removeprefix("--")
        check(t.codes("top", option, t.dump), 2, "", f"option-goes-with-format: {name} pprof")
        check(t.codes("tree", option, t.dump), 2, "", f"option-not-of-command: tree {name}")
    check(t.codes("merge", "--max-depth=0", t.dump), 2, "", "value-too-small: max-depth 1")
    check(t.codes("merge", "--max-samples=-1", t.dump), 2, "", "value-wrong: max-samples ")
    check(t.codes("diff", "-fpprof", "--with-error", t.dump, t.dump), 2, "",
          "with-error-diff")
    check(t.codes("folded", "--by=input", t.dump), 2, "", "rows-not-of-format: folded")
    for arguments in (("-fspeedscope",), ("-o", "x.folded"), ("-fpprof",)):
        check(t.codes("top", "--by=input", *arguments, t.dump), 2, "", "rows-not-of-format")
    copies = [t.file(f"copy.{i}.heap", pathlib.Path(t.dump).read_text()) for i in range(17)]
    check(t.codes("top", "--on-duplicate=count", "--dumps=sum", "--by=input", "-f", "html", "-o", "x.html", *copies), 2, "",
          "page-many-groups: 16 input 17 --by=process, or")
    series = [t.testdata / f"series/jp.10978.{i}.i{i}.heap" for i in range(3)]
    check(t.codes("top", "-f", "html", "--by=input", "--no-symbols", *series), 2, "",
          "page-adds-up-dumps: input")
    check(t.run("top", "-q", "-f", "html", "--by=input", "--no-symbols", "--dumps=sum", *series), 0)
    check(t.codes("merge", "-o", "x.hpa", "--by=size", t.dump), 2, "", "rows-not-of-format: hpa")
    for command in (["merge", "--timeline"], ["diff", t.dump], ["tree"], ["stacks"], ["peek", "f"]):
        check(t.codes(*command, "--by=size", t.dump), 2, "", "rows-not-of-format")
        check(t.codes(*command, "--by=age", t.dump), 2, "", "rows-not-of-format")
    check(t.codes("merge", "--by=age", t.dump), 2, "", "rows-not-of-format: pprof")
    check(t.codes("merge", "--by=size", "--with-error", t.dump), 2, "", "with-error-by-size")
    check(t.codes("merge", "--by=size", "--flavor=pyroscope", t.dump), 2, "", "pyroscope-by-size")
    check(t.codes("top", "--by=size", "--columns=spread", t.dump), 2, "", "spread-of-groups")
    check(t.codes("top", "--by=age", "--columns=spread", t.dump), 2, "", "spread-of-groups")
    check(t.codes("top", "--by=age", t.dump), 5, "", "nothing-no-ages")
    for metric in ("alloc-space", "alloc-objects"):
        check(t.codes("top", "--by=age", f"--metric={metric}", t.dump), 2, "", "ages-need-in-use")
    for option in ("--estimator=jeprof", "--estimator=none"):
        check(t.codes("top", "--by=age", option, t.dump), 2, "", "ages-need-estimates")
        check(t.codes("top", "--older-than=1s", option, t.dump), 2, "", "older-than-not-listed")
    assert not t.left_behind()


@case
def ages_need_inputs_that_list_them(t):
    aged = t.testdata / "jemalloc-clickhouse.heap"
    for by in ("input", "thread", "size", "age"):
        for option in ("--columns=sizes", "--columns=age"):
            check(t.codes("top", f"--by={by}", option, aged), 2, "", f"{option[10:]}s-of-groups" if option == "--columns=age" else f"{option[10:]}-of-groups")
    check(t.codes("top", "--columns=age", t.dump), 5, "", "nothing-no-ages")
    check(t.codes("top", "--columns=age", "--metric=alloc-space", aged), 2, "", "ages-need-in-use")
    for age in ("60", "s", "60 s", "-1s", "0s", "0.1ms", "1e3s", "nans", "40000000d", "60S", "1sec"):
        check(t.run("top", f"--older-than={age}", aged), 2, "", "an age such as 60s, 5min or 2h")
    outs = [check(t.run("top", "-fjson", "--no-symbols", f"--older-than={age}", aged)).out
            for age in ("90s", "90000ms", "1.5min", "0.025h")]
    assert len(set(outs)) == 1 and '"older_than": 90,' in outs[0]
    for command in ("callgrind", "dot", "folded", "tree", "stacks"):
        assert check(t.run(command, "--no-symbols", "--older-than=100ms", aged)).out
    check(t.codes("merge", "-o", "x.hpa", "--older-than=1s", aged), 2, "", "older-than-partial")
    check(t.run("merge", "-o", "x.hpa", "--no-symbols", aged))
    check(t.codes("top", "--older-than=1s", "x.hpa"), 2, "", "partial-without-ages")
    check(t.codes("top", "--older-than=1s", t.dump), 5, "", "nothing-no-ages")


OPEN = ("--confidence=90", "--confidence=none")
ALL = ("text", "markdown", "json", "tsv", "benchmark", "folded", "callgrind", "speedscope", "dhat", "dot", "svg",
       "pdf", "pprof", "firefox", "html")
TABLES = ("text", "markdown", "json", "tsv")
ROWS = (*TABLES, "benchmark")
FORMATS_OF = {(*ROWS, "html"): ("--sort=cum", "--cum"), TABLES: ("--columns=spread", "--columns=sizes"), (*ROWS, "dot", "html"): ("--limit=2",),
              (*ROWS, "svg", "pdf", "html"): OPEN, ("text", "markdown", "dot", "svg", "pdf", "html"): ("--unit=KiB",)}


@case
def options_of_a_table_require_a_report_with_rows(t):
    out = t.run("help", "--all", "top", env={"COLUMNS": "250"}).out
    for known, options in FORMATS_OF.items():
        for option in options:
            told = re.search(rf"{option.partition('=')[0]}\b.*?; for ([^\n]*)", out, re.S)[1]
            assert [name for name in told.split(", ") if name in ALL] == list(known), told
            message = f"option-goes-with-format: {option.partition('=')[0].removeprefix('--')} {told}\n"
            for name in t.patterns_of("top"):
                result = t.codes("top", "--no-symbols", "-f", name, option, t.dump)
                if name in told.split(", "):
                    plain = t.run("top", "--no-symbols", "-f", name, *t.procs)
                    other = t.run("top", "--no-symbols", "-f", name, option, *t.procs)
                    assert check(other).out != plain.out, (name, option)
                else:
                    check(result, 2, "", message)
    check(t.codes("diff", "-fdifffolded", "--cum", *t.procs[:2]), 2, "", "option-goes-with-format: cum text")
    check(t.codes("top", "-o", "x.folded", "-n9", t.dump), 2, "", "option-goes-with-format: limit text")
    assert not (t.folder / "x.folded").exists()


@case
def options_without_effect_are_errors(t):
    check(t.codes("top", "--label-from=/(?<n>.)", t.dump), 2, "", "label-from-alone")
    check(t.codes("merge", "--label-from=/(?<n>.)", "--by=input", t.dump), 2, "",
          "label-from-alone")


@case
def merge_rejects_the_text_format(t):
    check(t.codes("merge", "-ftext", t.dump), 2, "", "format-not-of-command: merge  text ")


@case
def info_is_text_only(t):
    check(t.codes("info", "-v", "-ffolded", t.dump), 2, "", "format-not-of-command: info  folded ")
    check(t.codes("info", "-v", "-o", "x.folded", t.dump), 2, "", "format-not-of-command: info  folded ")


@case
def a_format_of_merge_is_also_a_command(t):
    wanted = check(t.run("merge", "--format=folded", "--no-symbols", t.dump)).out
    assert wanted
    assert t.run("folded", "--no-symbols", t.dump).out == wanted
    wanted = check(t.run("diff", "--format=difffolded", "--no-symbols", *t.procs[:2])).out
    assert t.run("difffolded", "--no-symbols", *t.procs[:2]).out == wanted
    check(t.codes("difffolded", "--no-symbols", t.dump), 2, "", "diff-sides")


@case
def a_format_of_several_commands_is_not_a_command(t):
    writers = {name: [command for command in t.reports() if name in t.patterns_of(command)]
               for name in t.patterns_of()}
    several = [name for name, commands in writers.items()
               if len(commands) > 1 and "merge" not in commands]
    assert {"text", "json", "tsv"} <= set(several)
    for name in several:
        check(t.codes(name, t.dump), 2, "", f"format-as-command: {name} {name}\n")
        check(t.codes("help", name), 2, "", f"format-as-command: {name} ")
    check(t.codes("jsno", t.dump), 2, "", "command-did-you-mean: jsno json")


@case
def jeprof_names_of_the_metrics_are_known(t):
    for name in ("inuse-space", "inuse-objects"):
        wanted = check(t.run("folded", "--no-symbols", "--metric=" + name, t.dump)).out
        jeprof = "--" + name.replace("-", "_")
        assert t.run("folded", "--no-symbols", jeprof, t.dump).out == wanted


@case
def a_metric_can_be_a_sample_type_of_the_inputs(t):
    tcmalloc = pathlib.Path(__file__).parents[2] / "testdata" / "pprof" / "tcmalloc-heap.pb"
    for name, head in (("resident_space", " of resident_space"),
                       ("swapped_space/bytes", "source-unscaled"),
                       ("inuse_space", "in use"), ("heap", "inuse-objects, resident_space")):
        result = t.codes("top", "--no-symbols", "--metric", name, tcmalloc)
        assert head in result.out + result.err, result.err
    # A name with one wrong letter is reported before the inputs are read.
    check(t.codes("top", "--metric=inuse-spcae", "/nowhere"), 2, "", "-did-you-mean: metric inuse-spcae inuse-space")
    check(t.codes("top", "--metric=", "/nowhere"), 2, "", "choice-unknown: metric ")
    last = t.run("folded", "--no-symbols", "--metric=resident_space", "--inuse_objects", tcmalloc)
    assert last.out == "main;leaf 10\n", last.out


@case
def cum_is_a_sort_key(t):
    wanted = check(t.run("top", "--no-symbols", "--sort=cum", t.dump)).out
    assert t.run("top", "--no-symbols", "--cum", t.dump).out == wanted


@case
def help_and_version_take_no_format_and_no_output(t):
    for command in ("help", "version"):
        for option in ("format=json", "output=x"):
            check(t.codes(command, "--" + option), 2, "", f"option-not-of-command: {command} {option.split('=')[0]}")


@case
def a_missing_symbol_dir_is_an_error(t):
    check(t.codes("top", "--symbol-dir=/nowhere/at/all", t.dump), 2, "", "folder-missing: symbol-dir /nowhere/at/all")
    check(t.codes("top", "--symbol-dir=", t.dump), 2, "", "folder-missing: symbol-dir ")


@case
def R36_locale_and_time_zone_change_nothing(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    for env in ({"LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "de_DE.UTF-8"}, {"TZ": "Asia/Tokyo"}):
        assert t.run("top", "--no-symbols", t.dump, env=env).out == wanted


@case
def a_malformed_pattern_is_an_error_before_inputs_are_read(t):
    for option in ("--focus", "--ignore", "--hide", "--show", "--show-from"):
        check(t.codes("top", f"{option}=a(b", "/nowhere"), 2, "", "pattern-wrong: a(b missing closing parenthesis 3")
        check(t.codes("top", f"{option}=", "/nowhere"), 2, "", "filter-empty")


@case
def filters_can_be_repeated(t):
    result = check(t.run("top", "--no-symbols", "--hide=alloc_c", "--ignore=libc", "--ignore=nowhere", t.dump), 0,
                   "--hide=alloc_c --ignore=libc --ignore=nowhere leave ")
    assert "alloc_c+" not in result.out
    check(t.codes("info", "-v", "--focus=x", t.dump), 2, "", "option-not-of-command: info focus")


@case
def a_pattern_cannot_control_the_terminal(t):
    result = check(t.run("top", "--no-symbols", "--ignore=\x1b[31m]x", t.dump), 0, "\\x1B")
    assert "\x1b" not in result.out


@case
def a_share_is_a_percentage(t):
    few = check(t.run("tree", "--no-symbols", "--min-share=50%", t.dump), 0).out
    assert check(t.run("tree", "--no-symbols", "--min-share=50", t.dump), 0).out == few
    assert len(few) < len(t.run("tree", "--no-symbols", t.dump).out)
    for value in ("", "x", "-1", "101", "5%%", "1e1"):
        check(t.run("tree", f"--min-share={value}", t.dump), 2, "", "a percentage from 0 to 100")
    check(t.run("top", "--max-skipped=0.5", t.dump), 2, "", "a share such as 0.1%")


@case
def peek_takes_a_pattern_before_its_inputs(t):
    check(t.codes("peek"), 2, "", "pattern-needed: peek peek")
    check(t.codes("peek", "x"), 2, "", "no-input")
    check(t.codes("peek", "x(", t.dump), 2, "", "pattern-wrong: x( missing closing parenthesis 2")
    check(t.codes("peek", "--no-symbols", "no such function", t.dump), 5, "",
          "peek-no-match: function")
    check(t.run("peek", "--no-symbols", "alloc_c$", t.dump), 0, "alloc_c+0x")
    check(t.codes("peek", "--no-symbols", "--ignore=alloc_c", "alloc_c$", t.dump), 5, "", "peek-no-match: function of-peek-filtered")


@case
def list_takes_a_pattern_and_folders(t):
    check(t.codes("list"), 2, "", "pattern-needed: list list")
    check(t.codes("list", "--source-dir=/nowhere/at/all", "x", t.dump), 2, "", "folder-missing: source-dir /nowhere/at/all")
    check(t.codes("list", "--by=line", "x", t.dump), 2, "", "option-not-of-command: list by")
    check(t.codes("list", "--no-symbols", "alloc_c$", t.dump), 5, "",
          "list-no-names")


@case
def columns_are_a_list_and_damage_has_two_answers(t):
    both = check(t.run("top", "--no-symbols", "--columns=sizes,spread", *t.procs)).out
    assert check(t.run("top", "--no-symbols", "--columns=spread", "--columns=sizes", *t.procs)).out == both
    check(t.codes("top", "--columns=sizes,age,speed", t.dump), 2, "", "choice-did-you-mean: columns speed spread")
    check(t.codes("top", "--columns=", t.dump), 2, "", "choice-unknown: columns")
    check(t.codes("top", "--damaged=keep", t.dump), 2, "", "choice-unknown: damaged keep use, reject")
    check(t.codes("top", "--confidence=no", t.dump), 2, "", "value-wrong: confidence")
    none = check(t.run("top", "--no-symbols", "--confidence=none", *t.procs)).out
    assert check(t.run("top", "--no-symbols", "--confidence=none", "--confidence=95", *t.procs)).out != none
