// {"schema": "hprof-agg.info/2", "command": "info",
//  "inputs": [{"name": "a.heap", "status": "used", "reason": null, "process": 0,
//              "moment": "used", "format": "jemalloc heap_v2", "sampling": "unbiased",
//              "period": 524288, "bytes": 5545, "stacks": 7, "threads": 3,
//              "addresses": 21, "unmapped_addresses": 0, "listed": 0,
//              "skipped_lines": {"malformed": 0, "unknown": 0, "wrapped": 0,
//                              "overlaps": 0},
//              "header": "agrees", "inconsistent_stacks": 0, "large_sizes": "classes" or null,
//              "jemalloc_version": "5.3.0-0-g54eaed1" or null,
//              "sizes": {"unique": {"stacks": 5, "bytes": 1.500}, "several": ...,
//                        "none": ...},
//              "total": TOTAL, "stacks_total": TOTAL (if the header shows the total
//              better than the stacks)}, ...],
//  "processes": [{"key": "7f30b314c000-7fff2dd4c000" or null, "pid": 7 or null,
//                 "dumps": 2, "identified_by": "...", "order": "sequence" or null,
//                 "used": "a.heap" or null, "why": "the newest" or null}, ...],
//  "diagnostics": [{"kind": "malformed", "inputs": 1, "named": [...]}, ...],
//  "modules": [{"path": "/srv/app", "deleted": false, "frames": 12,
//               "address_kind": "elf", "build_id": "0a1b..." or null, "symbols": "...",
//               "symbols_from": "..." or null, "note": "..." or null,
//               "build": {"proof": "fits", "dumps": 6 or null} or null,
//               "return_addresses": {"checked": 12, "not_after_call": 0} or null,
//               "lacks_inlines": false}, ...],
//  "labels": [{"key": "version", "values": 3}, ...] of aggregate files, if any,
//  "total": {"inuse-space": 1.500, "inuse-objects": 1.000, "alloc-space": null,
//            "alloc-objects": null},
//  "stacks_total": TOTAL (if headers show the total better than the stacks),
//  "error": {"inuse-space": {"sampling": {"low": 1.0, "high": 2.0},
//                            "rounding": {"low": 1.4, "high": 1.6}}, ...} of the sum of
//            all stacks, if it is known,
//  "finer_period": {"half_width": 1.8, "period": 4096, "half_width_then": 0.2} of the
//                  total inuse-space, as shares, if it is too uncertain,
//  "sample_types": {...} if there are any, of an input as well,
//  "memory_limit": "188.0 MiB, of this container" or absent,
//  "warnings": [{"code": "...", "text": "..."}, ...]}
//
// "status" is "used", "used_damaged", "skipped", "repeated", "ignored", "too_recent" or
// "other-moment".  Keys after "reason" exist only for inputs that are used.  TOTAL is an
// object like "total".
#include "report/json/json.h"

#include "view/finer_period.h"
#include "view/input_labels.h"

#include <stdlib.h>

// Write a member with a text; null if the text is empty.
static void put_text(struct hp_json *json, const char *key, const char *text) {
    hp_json_put_text(json, key, hp_span_of(text));
}

// Write "total" or "stacks_total" with the sum of each metric; null for a metric that the
// inputs do not have.
static void put_total(struct hp_json *json, const char *key,
                      const struct hp_values *values, const bool has_metric[HP_METRICS]) {
    hp_json_open(json, key, '{');
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        if (has_metric[metric]) {
            hp_json_put_fixed(json, hp_metric_name(metric), values->of[metric], metric);
        } else {
            hp_json_put_null(json, hp_metric_name(metric));
        }
    }
    hp_json_close(json);
}

// --- inputs -------------------------------------------------------------------------------

// Write how an input is sampled, the numbers of its stacks, threads and addresses, and
// its defects.
static void put_contents(struct hp_json *json, const struct hp_input_record *input) {
    static const char *const scalings[] = {
        [HP_SCALING_NONE_SEEN] = "empty",   [HP_SCALING_RAW] = "raw",
        [HP_SCALING_UNBIASED] = "unbiased", [HP_SCALING_PER_LINE] = "objects",
        [HP_SCALING_SCALED] = "scaled",     [HP_SCALING_EXACT] = "exact",
    };
    static const char *const checks[] = {
        [HP_HEADER_UNCHECKED] = "unchecked",
        [HP_HEADER_AGREES] = "agrees",
        [HP_HEADER_CONTRADICTS] = "contradicts",
    };
    static const char *const large_sizes[] = {
        [HP_LARGE_AUTO] = "",
        [HP_LARGE_CLASSES] = "classes",
        [HP_LARGE_PAGES] = "pages",
    };
    put_text(json, "format", hp_producer_text(input->producer));
    put_text(json, "sampling", scalings[input->scaling]);
    hp_json_put_count(json, "period", input->period);
    hp_json_put_count(json, "bytes", input->bytes);
    hp_json_put_count(json, "stacks", input->stacks);
    hp_json_put_count(json, "threads", input->threads);
    hp_json_put_count(json, "addresses", input->addresses);
    hp_json_put_count(json, "unmapped_addresses", input->unmapped_addresses);
    hp_json_put_count(json, "listed", input->listed);
    hp_json_line(json, 3);
    hp_json_open(json, "skipped_lines", '{');
    hp_json_put_count(json, "malformed", input->malformed.count);
    hp_json_put_count(json, "unknown", input->unknown.count);
    hp_json_put_count(json, "wrapped", input->wrapped.count);
    hp_json_put_count(json, "overlaps", input->overlaps.count);
    hp_json_close(json);
    put_text(json, "header", checks[input->header_check]);
    hp_json_put_count(json, "inconsistent_stacks", input->inconsistent_stacks);
    put_text(json, "large_sizes", large_sizes[input->large_sizes]);
    put_text(json, "jemalloc_version", input->jemalloc.text);
}

// Write how many stacks have object sizes that are unique, several possible ones, or
// unknown.
static void put_read(struct hp_json *json, const struct hp_input_record *input) {
    hp_json_line(json, 3);
    hp_json_open(json, "sizes", '{');
    for (int i = 0; i < HP_READS; i++) {
        hp_json_open(json, hp_read_text((enum hp_read)i), '{');
        hp_json_put_count(json, "stacks", input->read[i].stacks);
        hp_json_put_fixed(json, "bytes", input->read[i].bytes, HP_INUSE_SPACE);
        hp_json_close(json);
    }
    hp_json_close(json);
}

// Write the totals of sample types, "sample_types": {"resident_space": 500000.000}, of an
// input, or of all inputs if it is NULL; nothing if there are none.
static void put_types(struct hp_json *json, const struct hp_view *view,
                      const struct hp_input_record *input) {
    const struct hp_sample_type *type;
    bool any = false;
    hp_vec_each (type, &hp_view_types(view)->of) {
        const struct hp_sample_input *has =
            input ? hp_sample_type_input(type, input->number) : NULL;
        if (has || !input) {
            char *name = hp_view_type_name(view, type);
            if (!any) {
                hp_json_line(json, input ? 3 : 1);
                hp_json_open(json, "sample_types", '{');
            }
            hp_json_key(json, hp_span_of(name));
            hp_json_put_fixed(json, NULL, has ? has->total : hp_sample_type_total(type),
                              type->in_place_of);
            any = true;
            free(name);
        }
    }
    if (any) {
        hp_json_close(json);
    }
}

// Write "total" with the sums of an input.
static void put_input_total(struct hp_json *json, const struct hp_input_record *input) {
    bool has_metric[HP_METRICS];
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        has_metric[metric] = hp_input_has_metric(input, metric);
    }
    struct hp_values whole = hp_input_whole(input);
    hp_json_line(json, 3);
    put_total(json, "total", &whole, has_metric);
    if (input->has_gain) {
        hp_json_line(json, 3);
        put_total(json, "stacks_total", &input->total, has_metric);
    }
}

// Write an input.
static void put_input(struct hp_json *json, const struct hp_view *view, size_t i) {
    const struct hp_input_record *input = &view->head.inputs[i];
    static const char *const statuses[] = {
        [HP_INPUT_USED] = "used",
        [HP_INPUT_KEPT_DAMAGED] = "used_damaged",
        [HP_INPUT_SKIPPED] = "skipped",
        [HP_INPUT_DUPLICATE] = "repeated",
        [HP_INPUT_IGNORED] = "ignored",
        [HP_INPUT_YOUNG] = "too_recent",
        [HP_INPUT_OTHER_MOMENT] = "other-moment",
        [HP_INPUT_REPLACED] = "skipped",
    };
    const struct hp_input *public = &input->public;
    hp_json_open(json, NULL, '{');
    hp_json_put_word(json, "name", public->name);
    put_text(json, "status", statuses[public->status]);
    hp_json_put_reason(json, "reason", public);
    if (hp_input_is_used(input)) {
        hp_json_put_count(json, "process", input->process);
        put_text(json, "moment", hp_view_moment_of(view, i));
        put_contents(json, input);
        put_read(json, input);
        put_input_total(json, input);
        put_types(json, view, input);
    }
    hp_json_close(json);
}

// --- processes ----------------------------------------------------------------------------

// Write what identifies a process: the key that its memory map has, and its pid.
static void put_identity(struct hp_json *json, const struct hp_process *process) {
    if (hp_digest_is_known(process->map)) {
        struct hp_sink *out = hp_json_value(json, "key");
        hp_sink_text(out, "\"");
        hp_process_write_key(out, process);
        hp_sink_text(out, "\"");
    } else {
        hp_json_put_null(json, "key");
    }
    hp_json_put_known(json, "pid", process->pid);
}

// Write a process.
static void put_process(struct hp_json *json, const struct hp_view *view,
                        const struct hp_process *process) {
    bool has_several = process->dumps > 1;
    bool is_chosen = process->chosen != HP_NO_INPUT;
    hp_json_open(json, NULL, '{');
    put_identity(json, process);
    hp_json_put_count(json, "dumps", process->dumps);
    put_text(json, "identified_by", hp_process_evidence_text(process));
    put_text(json, "order", has_several ? hp_newest_by_text(process->newest_by) : "");
    put_text(json, "used",
             is_chosen ? view->head.inputs[process->chosen].public.name : "");
    put_text(json, "why",
             is_chosen && has_several
                 ? hp_process_choice_text(process, view->head.snapshots)
                 : "");
    hp_json_close(json);
}

static void put_processes(struct hp_json *json, const struct hp_view *view) {
    const struct hp_process *process;
    hp_vec_each (process, &view->head.processes->all) {
        hp_json_line(json, 2);
        put_process(json, view, process);
    }
}

// --- diagnostics --------------------------------------------------------------------------

// Write a diagnostic with the number of inputs that have it, and the names of some.
static void put_diagnosed(struct hp_json *json, const struct hp_view *view,
                          enum hp_diagnostic_kind kind,
                          const struct hp_diagnosed *diagnosed) {
    hp_json_open(json, NULL, '{');
    hp_json_put_word(json, "kind", hp_diagnostic_name(kind));
    hp_json_put_count(json, "inputs", diagnosed->inputs);
    hp_json_open(json, "named", '[');
    for (uint32_t i = 0; i < diagnosed->named; i++) {
        const uint64_t *id = diagnosed->of[i].of;
        const char *name = hp_view_name_of_input(view, diagnosed->of[i]);
        hp_json_open(json, NULL, '{');
        hp_sink_print(hp_json_value(json, "identity"), "\"%016llx%04llx\"",
                      (unsigned long long)id[0], (unsigned long long)id[1]);
        put_text(json, "name", name ? name : "");
        hp_json_close(json);
    }
    hp_json_close(json);
    hp_json_close(json);
}

static void put_diagnostics(struct hp_json *json, const struct hp_view *view) {
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        struct hp_diagnosed diagnosed = hp_view_diagnosed(view, i);
        if (diagnosed.inputs > 0) {
            hp_json_line(json, 2);
            put_diagnosed(json, view, i, &diagnosed);
        }
    }
}

// --- modules ------------------------------------------------------------------------------

// A string of the profile as a C string; "" for string 0.
static const char *text_of(const struct hp_view *view, hp_string string) {
    return hp_view_string(view, string).at;
}

// The kind of addresses that frames of a module have.
static const char *address_kind(const struct hp_module *module) {
    return module->kind != HP_MODULE_FILE            ? "mapping-offset"
           : module->addresses == HP_ADDRESS_VIRTUAL ? "elf"
                                                     : "file-offset";
}

// Write "build": the kind of proof that the file at hand is the build of the module that
// ran, and the number of dumps with which it was compared (null if these are in
// partials); null instead of both if no proof was needed.
static void put_build(struct hp_json *json, const struct hp_module *module) {
    static const char *const proofs[] = {
        [HP_PROOF_NO_FILE] = "no-file", [HP_PROOF_UNCHECKED] = "unchecked",
        [HP_PROOF_OPEN] = "open",       [HP_PROOF_STAMPED] = "stamped",
        [HP_PROOF_FITS] = "fits",
    };
    if (module->proof == HP_PROOF_NONE) {
        hp_json_put_null(json, "build");
        return;
    }
    hp_json_open(json, "build", '{');
    hp_json_put_word(json, "proof", proofs[module->proof]);
    if (module->has_partials) {
        hp_json_put_null(json, "dumps");
    } else {
        hp_json_put_count(json, "dumps", module->dumps);
    }
    hp_json_close(json);
}

// Write how many return addresses were checked, and how many follow no call; null if none
// was.
static void put_returns(struct hp_json *json, const struct hp_module *module) {
    if (module->returns.checked > 0) {
        hp_json_open(json, "return_addresses", '{');
        hp_json_put_count(json, "checked", module->returns.checked);
        hp_json_put_count(json, "not_after_call", module->returns.failed);
        hp_json_close(json);
    } else {
        hp_json_put_null(json, "return_addresses");
    }
}

// Write a module.
static void put_module(struct hp_json *json, const struct hp_view *view,
                       const struct hp_module *module, size_t frames) {
    hp_json_open(json, NULL, '{');
    hp_json_put_string(json, "path", hp_view_string(view, module->path));
    hp_json_put_truth(json, "deleted", module->deleted);
    hp_json_put_count(json, "frames", frames);
    hp_json_put_word(json, "address_kind", address_kind(module));
    put_text(json, "build_id", text_of(view, module->build_id));
    put_text(json, "symbols", hp_sym_status_text(module->status));
    put_text(json, "symbols_from", text_of(view, module->symbols_from));
    put_text(json, "note", text_of(view, module->note));
    put_build(json, module);
    put_returns(json, module);
    hp_json_put_truth(json, "lacks_inlines", module->lacks_inlines);
    hp_json_close(json);
}

static void put_modules(struct hp_json *json, const struct hp_view *view) {
    size_t *frames = hp_view_frame_counts(view);
    for (uint32_t i = 1; i < hp_view_module_count(view); i++) {
        hp_json_line(json, 2);
        put_module(json, view, hp_view_module(view, (hp_module_id){i}), frames[i]);
    }
    free(frames);
}

// --- the report ---------------------------------------------------------------------------

// Write "error": how far off sampling alone and rounding alone can make the sum of all
// stacks, in each column whose error is known; nothing if none is.
static void put_errors(struct hp_json *json, const struct hp_view *view) {
    bool any = false;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        struct hp_error_parts parts = hp_view_error_parts(view, i);
        if (!parts.is_known) {
            continue;
        }
        if (!any) {
            hp_json_line(json, 1);
            hp_json_open(json, "error", '{');
        }
        hp_json_open(json, hp_metric_name(hp_space_of(i)), '{');
        hp_json_range(json, "sampling", parts.sampling);
        hp_json_range(json, "rounding", parts.rounding);
        hp_json_close(json);
        any = true;
    }
    if (any) {
        hp_json_close(json);
    }
}

// Write "finer_period" if the total in use is too uncertain.
static void put_finer_period(struct hp_json *json, const struct hp_view *view) {
    struct hp_finer_period finer = hp_finer_period_of(view);
    if (finer.period > 0) {
        hp_json_line(json, 1);
        hp_json_open(json, "finer_period", '{');
        hp_json_put_rough(json, "half_width", finer.share);
        hp_json_put_count(json, "period", finer.period);
        hp_json_put_rough(json, "half_width_then", HP_FINER_PERIOD_SHARE);
        hp_json_close(json);
    }
}

static void put_inputs(struct hp_json *json, const struct hp_view *view) {
    for (size_t i = 0; i < view->head.input_count; i++) {
        hp_json_line(json, 2);
        put_input(json, view, i);
    }
}

// Write the labels of all inputs, if any, and how many values each has.
static void put_labels(struct hp_json *json, const struct hp_view *view) {
    struct hp_label_counts labels;
    const struct hp_label_count *label;
    hp_label_counts_find(&labels, view, HP_ANY_SOURCE);
    if (labels.all.count > 0) {
        hp_json_line(json, 1);
        hp_json_open(json, "labels", '[');
        hp_vec_each (label, &labels.all) {
            hp_json_open(json, NULL, '{');
            hp_json_put_string(json, "key", label->key);
            hp_json_put_count(json, "values", label->values);
            hp_json_close(json);
        }
        hp_json_close(json);
    }
    hp_vec_done(&labels.all);
}

// Write the totals of all inputs that are used.
static void put_totals(struct hp_json *json, const struct hp_view *view) {
    bool has_metric[HP_METRICS];
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        has_metric[metric] = hp_view_has_metric(view, metric);
    }
    hp_json_line(json, 1);
    put_total(json, "total", &view->head.counted, has_metric);
    if (view->head.has_gain) {
        hp_json_line(json, 1);
        put_total(json, "stacks_total", &view->head.counted_stacks, has_metric);
    }
}

void hp_json_info(struct hp_sink *out, const struct hp_view *view) {
    static const struct {
        const char *key;
        hp_json_part *put;
    } lists[] = {
        {"inputs", put_inputs},
        {"processes", put_processes},
        {"diagnostics", put_diagnostics},
        {"modules", put_modules},
    };
    struct hp_json json = {.out = out};
    hp_json_open(&json, NULL, '{');
    hp_json_put_word(&json, "schema", "hprof-agg.info/2");
    hp_json_put_word(&json, "command", "info");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        hp_json_line(&json, 1);
        hp_json_open(&json, lists[i].key, '[');
        lists[i].put(&json, view);
        hp_json_close(&json);
    }
    put_labels(&json, view);
    put_totals(&json, view);
    put_errors(&json, view);
    put_finer_period(&json, view);
    put_types(&json, view, NULL);
    if (view->options.memory_limit) {
        hp_json_line(&json, 1);
        hp_json_put_word(&json, "memory_limit", view->options.memory_limit);
    }
    hp_json_end(&json, view);
}
