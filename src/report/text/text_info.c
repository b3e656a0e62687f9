// What info writes with --verbose: a block for each input, process, diagnostic and module,
// then one line for each total:
//
//     total inuse-space 46627456.000
#include "report/text/text.h"
#include "report/text/text_info_partial.h"

#include "report/json/json_text.h"
#include "view/finer_period.h"

#include <string.h>

// Begin a line of a block with its label.
static void put_field(struct hp_sink *out, const char *name) {
    hp_sink_print(out, "  %-12s ", name);
}

// Write how the numbers of an input are sampled and scaled.
static void put_scaling(struct hp_sink *out, const struct hp_input_record *input) {
    static const char *const scalings[] = {
        [HP_SCALING_NONE_SEEN] = "no stacks",
        [HP_SCALING_RAW] = "sampled counts as they are",
        [HP_SCALING_UNBIASED] = "counts rewritten by jemalloc (prof_unbias:true)",
        [HP_SCALING_PER_LINE] = "sampled counts of one size a line",
        [HP_SCALING_SCALED] = "estimates of its writer",
        [HP_SCALING_EXACT] = "exact counts",
    };
    put_field(out, "sampling");
    if (input->producer == HP_PRODUCER_FOLDED) {
        hp_sink_print(out, HP_MESSAGE("sampling-unknown", "unknown\n"));
        return;
    }
    if (input->period <= 1) {
        hp_sink_print(out, "%s; %s\n",
                      input->period ? "every allocation" : "no sample period",
                      scalings[input->scaling]);
        return;
    }
    bool is_unbias_off =
        input->producer == HP_PRODUCER_JEMALLOC && input->scaling == HP_SCALING_RAW;
    hp_sink_print(out, "every %llu bytes on average; %s%s\n",
                  (unsigned long long)input->period, scalings[input->scaling],
                  is_unbias_off ? " (prof_unbias:false)" : "");
}

// Write a number with its noun: "3 stacks", "1 stack".
static void put_count(struct hp_sink *out, uint64_t count, const char *what) {
    hp_sink_print(out, "%llu %s%s", (unsigned long long)count, what,
                  hp_text_plural(what, count == 1));
}

// Write the numbers of stacks, threads, files and addresses of an input, and its size.
static void put_contents(struct hp_sink *out, const struct hp_input_record *input) {
    put_field(out, "contents");
    put_count(out, input->stacks, "stack");
    hp_sink_text(out, ", ");
    put_count(out, input->threads, "thread");
    hp_sink_text(out, ", ");
    put_count(out, input->files, "mapped file");
    hp_sink_text(out, ", ");
    put_count(out, input->addresses, "distinct address");
    if (input->unmapped_addresses) {
        hp_sink_print(out, " (%llu in no mapping)",
                      (unsigned long long)input->unmapped_addresses);
    }
    hp_sink_text(out, "\n");
    put_field(out, "size");
    put_count(out, input->bytes, "byte");
    if (input->lines > 0) {
        hp_sink_text(out, " in ");
        put_count(out, input->lines, "line");
    }
    hp_sink_text(out, "\n");
}

// Write the facts that only ClickHouse's jemalloc records: sizes of listed objects, and
// slabs.
static void put_listed(struct hp_sink *out, const struct hp_input_record *input) {
    char bytes[HP_NUMBER_SIZE], unused[HP_NUMBER_SIZE];
    if (input->listed > 0) {
        put_field(out, "listed");
        put_count(out, input->listed, "sampled object");
        hp_sink_print(out, " with %s\n", input->listed == 1 ? "its size" : "their sizes");
    }
    if (input->slabs.bytes > 0) {
        hp_format_bytes(bytes, (hp_fixed)input->slabs.bytes << HP_SPACE_FRACTION,
                        HP_UNIT_AUTO);
        hp_format_bytes(unused,
                        (hp_fixed)(input->slabs.bytes - input->slabs.used)
                            << HP_SPACE_FRACTION,
                        HP_UNIT_AUTO);
        put_field(out, "slabs");
        hp_sink_print(out, "%s, of which %s unused\n", bytes, unused);
    }
}

// Write the bytes and objects of an input in use, or allocated, if it has them.
static void put_sum(struct hp_sink *out, const struct hp_input_record *input,
                    const char *name, enum hp_metric space, enum hp_metric objects) {
    char text[HP_NUMBER_SIZE];
    bool has_space = hp_input_has_metric(input, space);
    bool has_objects = hp_input_has_metric(input, objects);
    if (!has_space && !has_objects) {
        return;
    }
    put_field(out, name);
    if (has_space) {
        struct hp_values whole = hp_input_whole(input);
        hp_text_format(text, whole.of[space], space, HP_UNIT_AUTO);
        hp_sink_text(out, text);
    }
    if (has_objects) {
        hp_text_format(text, input->total.of[objects], objects, HP_UNIT_AUTO);
        hp_sink_print(out, "%s%s object%s", has_space ? "   " : "", text,
                      strcmp(text, "1") == 0 ? "" : "s");
    }
    hp_sink_text(out, "\n");
}

// Write a line for each sample type of an input that is not a metric: "488.3 KiB
// resident_space".
static void put_types(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_input_record *input) {
    const struct hp_sample_type *type;
    hp_vec_each (type, &hp_view_types(view)->of) {
        const struct hp_sample_input *has = hp_sample_type_input(type, input->number);
        if (has) {
            char text[HP_NUMBER_SIZE], *name = hp_view_type_name(view, type);
            hp_text_format(text, has->total, type->in_place_of, HP_UNIT_AUTO);
            put_field(out, "also");
            hp_sink_print(out, "%s ", text);
            hp_sink_escaped(out, hp_span_of(name));
            hp_sink_text(out, "\n");
            free(name);
        }
    }
}

// Write how many stacks have object sizes that are known, likely or mixed, and how large
// sizes were read.
static void put_read(struct hp_sink *out, const struct hp_input_record *input) {
    static const char *const reads[HP_READS] = {
        [HP_READ_UNIQUE] = "of known sizes",
        [HP_READ_SEVERAL] = "of likely sizes",
        [HP_READ_NONE] = "of mixed sizes",
    };
    const char *between = "";
    for (int i = 0; i < HP_READS; i++) {
        char bytes[HP_NUMBER_SIZE];
        if (input->read[i].stacks == 0) {
            continue;
        }
        if (*between == '\0') {
            put_field(out, "sizes");
        }
        hp_format_bytes(bytes, input->read[i].bytes, HP_UNIT_AUTO);
        hp_sink_print(out, "%s%llu stack%s, %s, %s", between,
                      (unsigned long long)input->read[i].stacks,
                      input->read[i].stacks == 1 ? "" : "s", bytes, reads[i]);
        between = "; ";
    }
    hp_sink_text(out, *between ? "\n" : "");
    if (input->large_sizes != HP_LARGE_AUTO) {
        put_field(out, "large");
        hp_sink_print(out, input->large_sizes == HP_LARGE_PAGES
                               ? HP_MESSAGE("pages-large",
                                            "sizes of more than 32 KiB are pages\n")
                               : HP_MESSAGE("classes-large",
                                            "sizes of more than 32 KiB are classes\n"));
    }
}

// Write whether the header of a rewritten input is taken for the total, and the sum of
// its stacks in use if that is another number.
static void put_gain(struct hp_sink *out, const struct hp_input_record *input) {
    char text[HP_NUMBER_SIZE];
    if (input->scaling != HP_SCALING_UNBIASED ||
        input->header_check != HP_HEADER_AGREES) {
        return;
    }
    if (!input->has_gain) {
        hp_sink_text(out, ", which is taken");
        return;
    }
    if (input->gain[HP_COLUMN_INUSE].bytes != 0) {
        hp_text_format(text, input->total.of[HP_INUSE_SPACE], HP_INUSE_SPACE,
                       HP_UNIT_AUTO);
        hp_sink_print(out, ", %s,", text);
    }
    hp_sink_text(out, " and is taken");
}

// Write how many lines and counts of an input were skipped, and whether its total agrees
// with the sum of its stacks.
static void put_diagnostics(struct hp_sink *out, const struct hp_input_record *input) {
    const struct {
        const char *one, *many;
        struct hp_diagnostic_count of;
    } diagnostics[] = {
        {"malformed line", "malformed lines", input->malformed},
        {"indented line of an unknown kind", "indented lines of an unknown kind",
         input->unknown},
        {"count that had wrapped around", "counts that had wrapped around",
         input->wrapped},
        {"overlapping row in the memory map", "overlapping rows in the memory map",
         input->overlaps},
    };

    for (size_t i = 0; i < sizeof diagnostics / sizeof *diagnostics; i++) {
        if (diagnostics[i].of.count > 0) {
            put_field(out, "passed over");
            hp_sink_print(out, "%llu %s, the first is line %llu\n",
                          (unsigned long long)diagnostics[i].of.count,
                          diagnostics[i].of.count == 1 ? diagnostics[i].one
                                                       : diagnostics[i].many,
                          (unsigned long long)diagnostics[i].of.line);
        }
    }
    static const char *const checks[] = {
        [HP_HEADER_UNCHECKED] =
            HP_WORDS("total-not-compared", "its total is not compared"),
        [HP_HEADER_AGREES] =
            HP_WORDS("total-agrees", "its total agrees with the sum of the stacks"),
        [HP_HEADER_CONTRADICTS] =
            HP_WORDS("total-contradicts", "its total contradicts the sum of the stacks"),
    };
    put_field(out, "header");
    hp_sink_text(out, hp_words(checks[input->header_check]));
    put_gain(out, input);
    hp_sink_text(out, "\n");
    if (input->inconsistent_stacks > 0) {
        put_field(out, "threads");
        hp_sink_print(out,
                      HP_MESSAGE("contradicts-threads",
                                 "they contradict the numbers of %llu stack%s\n"),
                      (unsigned long long)input->inconsistent_stacks,
                      input->inconsistent_stacks == 1 ? "" : "s");
    }
}

// Write why an input is not used, or not used completely; nothing for one that is used.
static void put_status(struct hp_sink *out, const struct hp_input *input) {
    static const char *const statuses[] = {
        [HP_INPUT_USED] = "",
        [HP_INPUT_KEPT_DAMAGED] =
            HP_WORDS("damaged-but-used: ", "damaged, used as far as it goes: "),
        [HP_INPUT_SKIPPED] = HP_WORDS("info-skipped: ", "skipped: "),
        [HP_INPUT_DUPLICATE] =
            HP_WORDS("info-repeated", "repeats an earlier input, counted once"),
        [HP_INPUT_IGNORED] = HP_WORDS("info-ignored: ", "ignored: "),
        [HP_INPUT_YOUNG] =
            HP_WORDS("info-young", "skipped: it was modified too recently (--min-age)"),
        [HP_INPUT_OTHER_MOMENT] =
            HP_WORDS("info-other-moment", "skipped: another dump of its process is used"),
        [HP_INPUT_REPLACED] = HP_WORDS("info-replaced: ", "skipped: "),
    };
    if (input->status == HP_INPUT_USED) {
        return;
    }
    put_field(out, "status");
    hp_sink_text(out, hp_words(statuses[input->status]));
    if (input->err) {
        hp_sink_escaped(out, hp_span_of(input->err->message));
        if (input->err->sys != 0) {
            hp_sink_print(out, ": %s", strerror(input->err->sys));
        }
        if (input->err->line > 0) {
            hp_sink_print(out, ", line %llu", (unsigned long long)input->err->line);
        }
    }
    hp_sink_text(out, "\n");
}

// Write the block of an input.
static void put_input(struct hp_sink *out, const struct hp_view *view, size_t i) {
    const struct hp_input_record *input = &view->head.inputs[i];
    hp_sink_text(out, "input ");
    hp_sink_escaped(out, hp_span_of(input->public.name));
    hp_sink_text(out, "\n");
    put_status(out, &input->public);
    if (!hp_input_is_used(input)) {
        return;
    }
    if (view->head.processes->all.at[input->process].dumps > 1) {
        put_field(out, "moment");
        hp_sink_print(out, "%s\n", hp_view_moment_of(view, i));
    }
    put_field(out, "format");
    hp_sink_print(out, "%s\n", hp_producer_text(input->producer));
    if (*input->jemalloc.text) {
        put_field(out, "written by");
        hp_sink_text(out, "jemalloc ");
        hp_sink_escaped(out, hp_span_of(input->jemalloc.text));
        hp_sink_text(out, "\n");
    } else if (hp_writer_text(input)) {
        put_field(out, "written by");
        hp_sink_print(out, "%s\n", hp_writer_text(input));
    }
    put_scaling(out, input);
    put_contents(out, input);
    put_sum(out, input, "in use", HP_INUSE_SPACE, HP_INUSE_OBJECTS);
    put_sum(out, input, "allocated", HP_ALLOC_SPACE, HP_ALLOC_OBJECTS);
    put_types(out, view, input);
    put_read(out, input);
    put_listed(out, input);
    put_diagnostics(out, input);
}

// Write the block of a process, beginning with its memory map: "process
// 7f30b314c000-7fff2dd4c000".
static void put_process(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_process *process) {
    hp_sink_text(out, "process ");
    hp_process_write_key(out, process);
    hp_sink_text(out, "\n");
    if (process->pid != 0) {
        put_field(out, "pid");
        hp_sink_print(out, "%llu\n", (unsigned long long)process->pid);
    }
    put_field(out, "dumps");
    hp_sink_print(out, "%u\n", process->dumps);
    put_field(out, "known by");
    hp_sink_print(out, "%s\n", hp_process_evidence_text(process));
    if (process->dumps > 1) {
        put_field(out, "in order of");
        hp_sink_print(out, "%s\n", hp_newest_by_text(process->newest_by));
        put_field(out, "used");
        if (process->chosen == HP_NO_INPUT) {
            hp_sink_text(out, "all");
        } else {
            hp_sink_escaped(out,
                            hp_span_of(view->head.inputs[process->chosen].public.name));
            hp_sink_print(out, ", %s",
                          hp_process_choice_text(process, view->head.snapshots));
        }
        hp_sink_text(out, "\n");
    }
}

// Whether a process is a group of dumps of an aggregate file, which has a block already.
static bool is_of_group(const struct hp_view *view, const struct hp_process *process) {
    uint32_t first = view->head.processes->dumps.at[process->first];
    return process->dumps == 1 && hp_text_is_group(&view->head.inputs[first]);
}

static void put_processes(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_process *process;
    hp_vec_each (process, &view->head.processes->all) {
        if (!is_of_group(view, process)) {
            put_process(out, view, process);
        }
    }
}

// Write a line with a label and a text of the profile; nothing if there is no text.
static void put_text_field(struct hp_sink *out, const struct hp_view *view,
                           const char *name, hp_string text) {
    if (text.n) {
        put_field(out, name);
        hp_sink_escaped(out, hp_view_string(view, text));
        hp_sink_text(out, "\n");
    }
}

// Write how many of the checked return addresses follow a call instruction in the file:
// "12 of 13 ...".
static void put_returns(struct hp_sink *out, const struct hp_module *module) {
    const struct hp_return_check *returns = &module->returns;
    if (returns->checked > 0) {
        put_field(out, "returns");
        hp_sink_print(out, "%u of %u return address%s a call\n",
                      returns->checked - returns->failed, returns->checked,
                      returns->checked == 1 ? " follows" : "es follow");
    } else if (returns->lacks_rules) {
        put_field(out, "returns");
        hp_sink_print(out,
                      HP_MESSAGE("returns-not-checked",
                                 "not checked: there are no rules for its machine\n"));
    }
}

// Write how many parts of one kind the debug information of a module has, and how many of
// them libdw had to read, instead of our own reader; nothing if there are none.
static void put_parts(struct hp_sink *out, const char *name,
                      const struct hp_debug_parts *parts) {
    if (parts->all > 0) {
        put_field(out, name);
        hp_sink_print(out, "%u, of which libdw has read %u\n", parts->all,
                      parts->foreign);
    }
}

// Write how many dumps have this build of a module, and whether the file at hand was
// proven to be the same build.
static void put_build(struct hp_sink *out, const struct hp_module *module) {
    static const char *const what[] = {
        [HP_PROOF_UNCHECKED] =
            HP_WORDS("builds-layout",
                     "the file has their layout, and no code could be compared"),
        [HP_PROOF_OPEN] = HP_WORDS("builds-unproven", "unproven: no file at hand fits"),
        [HP_PROOF_STAMPED] =
            HP_WORDS("builds-in-partial",
                     "according to the aggregate file; the file is not available"),
        [HP_PROOF_FITS] = HP_WORDS("builds-fit", "the file fits"),
    };
    if (module->proof < HP_PROOF_UNCHECKED) {
        return;
    }
    put_field(out, "build");
    if (module->has_partials) {
        hp_sink_print(out, "of dumps in aggregate files: %s\n",
                      hp_words(what[module->proof]));
    } else {
        hp_sink_print(out, "of %u dump%s: %s\n", module->dumps,
                      module->dumps == 1 ? "" : "s", hp_words(what[module->proof]));
    }
}

// Write the command that fetches the debug file of a module without names.  The build id
// may be any text of an input, and is a part of the command only if it is hexadecimal.
void hp_text_fetch(struct hp_sink *out, const struct hp_view *view,
                   const struct hp_module *module) {
    bool lacks_names = module->status == HP_SYM_NO_FILE ||
                       module->status == HP_SYM_STRIPPED || module->nameless > 0;
    struct hp_span id = hp_view_string(view, module->build_id);
    bool is_hex = id.size > 0 && !hp_view_is_redacted(view);
    for (size_t i = 0; i < id.size; i++) {
        is_hex &= strchr("0123456789abcdef", id.at[i]) != NULL;
    }
    if (lacks_names && is_hex) {
        hp_sink_print(out, "debuginfod-find debuginfo %.*s\n", (int)id.size, id.at);
    }
}

// Write the same with its label.
static void put_fetch(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_module *module) {
    struct hp_text_draft command;
    hp_text_draft_init(&command);
    hp_text_fetch(&command.out, view, module);
    struct hp_span text = hp_text_draft_end(&command);
    if (text.size > 0) {
        put_field(out, "names by");
        hp_sink_put(out, text.at, text.size);
        hp_sink_text(out, "\n");
    }
    hp_text_draft_done(&command);
}

// Write the block of a module.
static void put_module(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_module *module, size_t frames) {
    hp_sink_text(out, "module ");
    hp_sink_escaped(out, hp_view_string(view, module->path));
    hp_sink_text(out, module->deleted ? " (deleted)\n" : "\n");
    put_field(out, "frames");
    hp_sink_print(out, "%zu\n", frames);
    if (module->kind != HP_MODULE_FILE) {
        return;
    }
    put_text_field(out, view, "build id", module->build_id);
    put_field(out, "symbols");
    hp_sink_print(out, "%s\n", hp_sym_status_text(module->status));
    put_text_field(out, view, "from", module->symbols_from);
    put_fetch(out, view, module);
    put_build(out, module);
    put_returns(out, module);
    if (view->options.names_readers) {
        put_parts(out, "units", &module->units);
        put_parts(out, "line tables", &module->line_programs);
    }
    put_text_field(out, view, "note", module->note);
}

// Write the block of a diagnostic: the number of inputs that have it, and the names of up
// to three.
static void put_diagnosed(struct hp_sink *out, const struct hp_view *view,
                          enum hp_diagnostic_kind kind) {
    struct hp_diagnosed diagnosed = hp_view_diagnosed(view, kind);
    if (diagnosed.inputs == 0) {
        return;
    }
    hp_sink_print(out, "diagnostic %s\n", hp_diagnostic_name(kind));
    put_field(out, "inputs");
    hp_sink_print(out, "%llu\n", (unsigned long long)diagnosed.inputs);
    for (uint32_t i = 0; i < diagnosed.named; i++) {
        const uint64_t *id = diagnosed.of[i].of;
        const char *name = hp_view_name_of_input(view, diagnosed.of[i]);
        put_field(out, "identity");
        hp_sink_print(out, "%016llx%04llx%s", (unsigned long long)id[0],
                      (unsigned long long)id[1], name ? " " : "");
        hp_sink_escaped(out, hp_span_of(name ? name : ""));
        hp_sink_text(out, "\n");
    }
}

static void put_modules(struct hp_sink *out, const struct hp_view *view) {
    size_t *frames = hp_view_frame_counts(view);
    for (uint32_t i = 1; i < hp_view_module_count(view); i++) {
        put_module(out, view, hp_view_module(view, (hp_module_id){i}), frames[i]);
    }
    free(frames);
}

// Write the line of a metric's total, and of the sum of all stacks if headers show the
// total better; "-" if no input has the metric.
static void put_total(struct hp_sink *out, const struct hp_view *view,
                      enum hp_metric metric, const char *name) {
    const struct hp_head *head = &view->head;
    if (!hp_view_has_metric(view, metric)) {
        hp_sink_print(out, "total %s -\n", name);
        return;
    }
    hp_sink_print(out, "total %s ", name);
    hp_json_fixed(out, head->counted.of[metric], metric);
    hp_sink_text(out, "\n");
    if (head->has_gain && hp_fraction(metric) == HP_SPACE_FRACTION) {
        hp_sink_print(out, "stacks %s ", name);
        hp_json_fixed(out, head->counted_stacks.of[metric], metric);
        hp_sink_text(out, "\n");
    }
}

// Write a line with how far off sampling alone and rounding alone can make the sum of all
// stacks; nothing if that is not known, or is sampling alone.
static void put_error(struct hp_sink *out, const struct hp_view *view,
                      enum hp_column column, const char *name) {
    struct hp_error_parts parts = hp_view_error_parts(view, column);
    if (parts.is_known) {
        enum hp_metric space = hp_space_of(column);
        double percent = hp_fixed_double(view->head.total.of[space], space) / 100;
        hp_sink_print(out, "error %s %+.3g%% to %+.3g%% by sampling", name,
                      parts.sampling.low / percent - 100,
                      parts.sampling.high / percent - 100);
        hp_sink_print(out, ", %+.3g%% to %+.3g%% by rounding and unknown sizes\n",
                      parts.rounding.low / percent - 100,
                      parts.rounding.high / percent - 100);
    }
}

// Write a line for the total of each sample type.
static void put_type_totals(struct hp_sink *out, const struct hp_view *view) {
    const struct hp_sample_type *type;
    hp_vec_each (type, &hp_view_types(view)->of) {
        char *name = hp_view_type_name(view, type);
        hp_sink_text(out, "total ");
        hp_sink_escaped(out, hp_span_of(name));
        hp_sink_text(out, " ");
        hp_json_fixed(out, hp_sample_type_total(type), type->in_place_of);
        hp_sink_text(out, "\n");
        free(name);
    }
}

// Name a finer sample period if the total in use is too uncertain.
void hp_text_advice(struct hp_sink *out, const struct hp_view *view) {
    struct hp_finer_period finer = hp_finer_period_of(view);
    char text[HP_NUMBER_SIZE];
    if (finer.period > 0) {
        hp_format_size(text, finer.period);
        hp_sink_print(out,
                      HP_MESSAGE("info-finer-period",
                                 "advice the error of inuse-space is %.0f%%; a sample "
                                 "period of %s leaves about %.0f%%: hprof-agg plan\n"),
                      finer.share * 100, text, HP_FINER_PERIOD_SHARE * 100);
    }
}

void hp_text_info(struct hp_sink *out, const struct hp_view *view) {
    for (size_t i = 0; i < view->head.input_count; i++) {
        if (hp_text_is_first_group(view, i)) {
            hp_text_put_partial(out, view, i);
        } else if (!hp_text_is_group(&view->head.inputs[i])) {
            put_input(out, view, i);
        }
    }
    put_processes(out, view);
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        put_diagnosed(out, view, i);
    }
    put_modules(out, view);
    if (view->options.memory_limit) {
        hp_sink_text(out, "memory\n");
        put_field(out, "limit");
        hp_sink_escaped(out, hp_span_of(view->options.memory_limit));
        hp_sink_text(out, "\n");
    }
    put_type_totals(out, view);
    put_total(out, view, HP_INUSE_SPACE, "inuse-space");
    put_total(out, view, HP_INUSE_OBJECTS, "inuse-objects");
    put_total(out, view, HP_ALLOC_SPACE, "alloc-space");
    put_total(out, view, HP_ALLOC_OBJECTS, "alloc-objects");
    put_error(out, view, HP_COLUMN_INUSE, "inuse-space");
    put_error(out, view, HP_COLUMN_ALLOC, "alloc-space");
}
