// {"schema": "hprof-agg.info/1", "command": "info",
//  "inputs": [{"name": "a.heap", "status": "used", "reason": null, "process": 0,
//              "moment": "used", "format": "jemalloc heap_v2", "sampling": "unbiased",
//              "period": 524288, "bytes": 5545, "stacks": 7, "threads": 3,
//              "addresses": 21, "unplaced_addresses": 0, "listed": 0,
//              "passed_over": {"malformed": 0, "unknown": 0, "wrapped": 0,
//                              "overlaps": 0},
//              "header": "agrees", "torn_stacks": 0, "large_sizes": "classes" or null,
//              "sizes": {"unique": {"stacks": 5, "bytes": 1.500}, "several": ...,
//                        "none": ...},
//              "total": TOTAL, "stacks_total": TOTAL (if the header shows the total
//              better than the stacks)}, ...],
//  "processes": [{"key": "7f30b314c000-7fff2dd4c000" or null, "pid": 7 or null,
//                 "dumps": 2, "told_by": "...", "order": "sequence" or null,
//                 "used": "a.heap" or null, "why": "the newest" or null}, ...],
//  "diagnostics": [{"kind": "malformed", "inputs": 1, "named": [...]}, ...],
//  "modules": [{"path": "/srv/app", "deleted": false, "frames": 12,
//               "address_kind": "elf", "build_id": "0a1b..." or null, "symbols": "...",
//               "symbols_from": "..." or null, "note": "..." or null,
//               "build": {"proof": "fits", "dumps": 6 or null} or null,
//               "return_addresses": {"checked": 12, "follow_no_call": 0} or null,
//               "lacks_inlines": false}, ...],
//  "total": {"inuse-space": 1.500, "inuse-objects": 1.000, "alloc-space": null,
//            "alloc-objects": null},
//  "stacks_total": TOTAL (if headers show the total better than the stacks),
//  "error": {"inuse-space": {"sampling": {"low": 1.0, "high": 2.0},
//                            "rounding": {"low": 1.4, "high": 1.6}}, ...} of the sum of
//            all stacks, if it is known,
//  "sample_types": {...} if there are any, of an input as well,
//  "memory_limit": "188.0 MiB, of this container" or absent,
//  "warnings": ["..."]}
//
// "status" is "used", "kept-damaged", "skipped", "repeated", "ignored", "young" or
// "other-moment".  Keys after "reason" exist only for inputs that are used.  TOTAL is an
// object like "total".
#include "report/json/json.h"

#include <stdio.h>
#include <string.h>

// Write a member with a text, after a comma; null if the text is empty.
static void put_text(struct hp_sink *out, const char *key, const char *text) {
    hp_sink_text(out, ", ");
    hp_json_key(out, key);
    hp_json_text(out, hp_span_of(text));
}

// Write a member with a count, after a comma.
static void put_count(struct hp_sink *out, const char *key, uint64_t count) {
    hp_sink_text(out, ", ");
    hp_json_key(out, key);
    hp_sink_print(out, "%llu", (unsigned long long)count);
}

// Write "total" or "stacks_total" with the sum of each metric; null for a metric that the
// inputs do not have.
static void put_total(struct hp_sink *out, const char *key,
                      const struct hp_values *values, const bool has_metric[HP_METRICS]) {
    hp_json_key(out, key);
    hp_sink_text(out, "{");
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        hp_sink_text(out, metric > 0 ? ", " : "");
        hp_json_key(out, hp_metric_name(metric));
        if (has_metric[metric]) {
            hp_json_fixed(out, values->of[metric], metric);
        } else {
            hp_sink_text(out, "null");
        }
    }
    hp_sink_text(out, "}");
}

// --- inputs -------------------------------------------------------------------------------

// Write how an input is sampled, the numbers of its stacks, threads and addresses, and
// its defects.
static void put_contents(struct hp_sink *out, const struct hp_input_record *input) {
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
        [HP_LARGE_AUTO] = "null",
        [HP_LARGE_CLASSES] = "\"classes\"",
        [HP_LARGE_PAGES] = "\"pages\"",
    };
    put_text(out, "format", hp_producer_text(input->producer));
    put_text(out, "sampling", scalings[input->scaling]);
    put_count(out, "period", input->period);
    put_count(out, "bytes", input->bytes);
    put_count(out, "stacks", input->stacks);
    put_count(out, "threads", input->threads);
    put_count(out, "addresses", input->addresses);
    put_count(out, "unplaced_addresses", input->unmapped_addresses);
    put_count(out, "listed", input->listed);
    hp_sink_text(out, ",\n   \"passed_over\": {");
    hp_sink_print(out,
                  "\"malformed\": %llu, \"unknown\": %llu, \"wrapped\": %llu, "
                  "\"overlaps\": %llu}",
                  (unsigned long long)input->malformed.count,
                  (unsigned long long)input->unknown.count,
                  (unsigned long long)input->wrapped.count,
                  (unsigned long long)input->overlaps.count);
    put_text(out, "header", checks[input->header_check]);
    put_count(out, "torn_stacks", input->inconsistent_stacks);
    hp_sink_text(out, ", \"large_sizes\": ");
    hp_sink_text(out, large_sizes[input->large_sizes]);
}

// Write how many stacks have object sizes that are unique, several possible ones, or
// unknown.
static void put_read(struct hp_sink *out, const struct hp_input_record *input) {
    hp_sink_text(out, ",\n   \"sizes\": {");
    for (int i = 0; i < HP_READS; i++) {
        hp_sink_print(out, "%s\"%s\": {\"stacks\": %llu, \"bytes\": ", i > 0 ? ", " : "",
                      hp_read_text((enum hp_read)i),
                      (unsigned long long)input->read[i].stacks);
        hp_json_fixed(out, input->read[i].bytes, HP_INUSE_SPACE);
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "}");
}

// Write why an input is not used, or not used completely; null: it is used.
static void put_reason(struct hp_sink *out, const struct hp_input *input) {
    const struct hp_err *err = input->err;
    char text[sizeof err->message + 128] = "";
    if (err) {
        snprintf(text, sizeof text, "%s%s%s", err->message, err->sys != 0 ? ": " : "",
                 err->sys != 0 ? strerror(err->sys) : "");
    }
    put_text(out, "reason", text);
}

// Write the totals of sample types, "sample_types": {"resident_space": 500000.000}, of an
// input, or of all inputs if it is NULL; nothing if there are none.
static void put_types(struct hp_sink *out, const struct hp_view *view,
                      const struct hp_input_record *input) {
    const char *between = input ? ",\n   \"sample_types\": {" : ",\n \"sample_types\": {";
    const struct hp_sample_type *type;
    bool any = false;
    hp_vec_each (type, &hp_view_types(view)->of) {
        const struct hp_sample_input *has =
            input ? hp_sample_type_input(type, input->number) : NULL;
        if (has || !input) {
            char *name = hp_view_type_name(view, type);
            hp_sink_text(out, between);
            hp_json_string(out, hp_span_of(name));
            hp_sink_text(out, ": ");
            hp_json_fixed(out, has ? has->total : hp_sample_type_total(type),
                          type->in_place_of);
            between = ", ";
            any = true;
            free(name);
        }
    }
    hp_sink_text(out, any ? "}" : "");
}

// Write "total" with the sums of an input.
static void put_input_total(struct hp_sink *out, const struct hp_input_record *input) {
    bool has_metric[HP_METRICS];
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        has_metric[metric] = hp_input_has_metric(input, metric);
    }
    hp_sink_text(out, ",\n   ");
    struct hp_values whole = hp_input_whole(input);
    put_total(out, "total", &whole, has_metric);
    if (input->has_gain) {
        hp_sink_text(out, ",\n   ");
        put_total(out, "stacks_total", &input->total, has_metric);
    }
}

// Write the process of an input, and whether this dump of it is used.
static void put_moment(struct hp_sink *out, const struct hp_view *view, size_t i) {
    put_count(out, "process", view->head.inputs[i].process);
    put_text(out, "moment", hp_view_moment_of(view, i));
}

// Write an input.
static void put_input(struct hp_sink *out, const struct hp_view *view, size_t i) {
    const struct hp_input_record *input = &view->head.inputs[i];
    static const char *const statuses[] = {
        [HP_INPUT_USED] = "used",
        [HP_INPUT_KEPT_DAMAGED] = "kept-damaged",
        [HP_INPUT_SKIPPED] = "skipped",
        [HP_INPUT_DUPLICATE] = "repeated",
        [HP_INPUT_IGNORED] = "ignored",
        [HP_INPUT_YOUNG] = "young",
        [HP_INPUT_OTHER_MOMENT] = "other-moment",
        [HP_INPUT_REPLACED] = "skipped",
    };
    const struct hp_input *public = &input->public;
    hp_sink_text(out, "{\"name\": ");
    hp_json_string(out, hp_span_of(public->name));
    put_text(out, "status", statuses[public->status]);
    put_reason(out, public);
    if (hp_input_is_used(input)) {
        put_moment(out, view, i);
        put_contents(out, input);
        put_read(out, input);
        put_input_total(out, input);
        put_types(out, view, input);
    }
    hp_sink_text(out, "}");
}

// --- processes ----------------------------------------------------------------------------

// Write a process.
static void put_process(struct hp_sink *out, const struct hp_view *view,
                        const struct hp_process *process) {
    bool has_several = process->dumps > 1;
    bool is_chosen = process->chosen != HP_NO_INPUT;
    hp_sink_text(out, "{\"key\": ");
    if (hp_digest_is_known(process->map)) {
        hp_sink_text(out, "\"");
        hp_process_write_key(out, process);
        hp_sink_text(out, "\"");
    } else {
        hp_sink_text(out, "null");
    }
    if (process->pid != 0) {
        put_count(out, "pid", process->pid);
    } else {
        put_text(out, "pid", "");
    }
    put_count(out, "dumps", process->dumps);
    put_text(out, "told_by", hp_process_evidence_text(process));
    put_text(out, "order", has_several ? hp_newest_by_text(process->newest_by) : "");
    put_text(out, "used",
             is_chosen ? view->head.inputs[process->chosen].public.name : "");
    put_text(out, "why",
             is_chosen && has_several
                 ? hp_process_choice_text(process, view->head.snapshots)
                 : "");
    hp_sink_text(out, "}");
}

static void put_processes(struct hp_sink *out, const struct hp_view *view) {
    const char *between = "\n  ";
    const struct hp_process *process;
    hp_vec_each (process, &view->head.processes->all) {
        hp_sink_text(out, between);
        put_process(out, view, process);
        between = ",\n  ";
    }
}

// --- diagnostics --------------------------------------------------------------------------

// Write a diagnostic with the number of inputs that have it, and the names of some.
static void put_diagnosed(struct hp_sink *out, const struct hp_view *view,
                          enum hp_diagnostic_kind kind,
                          const struct hp_diagnosed *diagnosed) {
    hp_sink_print(out, "{\"kind\": \"%s\", \"inputs\": %llu, \"named\": [",
                  hp_diagnostic_name(kind), (unsigned long long)diagnosed->inputs);
    for (uint32_t i = 0; i < diagnosed->named; i++) {
        const uint64_t *id = diagnosed->of[i].of;
        const char *name = hp_view_name_of_input(view, diagnosed->of[i]);
        hp_sink_print(out, "%s{\"identity\": \"%016llx%04llx\"", i > 0 ? ", " : "",
                      (unsigned long long)id[0], (unsigned long long)id[1]);
        put_text(out, "name", name ? name : "");
        hp_sink_text(out, "}");
    }
    hp_sink_text(out, "]}");
}

static void put_diagnostics(struct hp_sink *out, const struct hp_view *view) {
    const char *between = "\n  ";
    for (enum hp_diagnostic_kind i = 0; i < HP_DIAGNOSTICS; i++) {
        struct hp_diagnosed diagnosed = hp_view_diagnosed(view, i);
        if (diagnosed.inputs > 0) {
            hp_sink_text(out, between);
            put_diagnosed(out, view, i, &diagnosed);
            between = ",\n  ";
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
static void put_build(struct hp_sink *out, const struct hp_module *module) {
    static const char *const proofs[] = {
        [HP_PROOF_NO_FILE] = "no-file", [HP_PROOF_UNCHECKED] = "unchecked",
        [HP_PROOF_OPEN] = "open",       [HP_PROOF_STAMPED] = "stamped",
        [HP_PROOF_FITS] = "fits",
    };
    if (module->proof == HP_PROOF_NONE) {
        hp_sink_text(out, ", \"build\": null");
    } else if (module->has_partials) {
        hp_sink_print(out, ", \"build\": {\"proof\": \"%s\", \"dumps\": null}",
                      proofs[module->proof]);
    } else {
        hp_sink_print(out, ", \"build\": {\"proof\": \"%s\", \"dumps\": %u}",
                      proofs[module->proof], module->dumps);
    }
}

// Write a module.
static void put_module(struct hp_sink *out, const struct hp_view *view,
                       const struct hp_module *module, size_t frames) {
    hp_sink_text(out, "{\"path\": ");
    hp_json_string(out, hp_view_string(view, module->path));
    hp_sink_print(out, ", \"deleted\": %s, \"frames\": %zu, \"address_kind\": \"%s\"",
                  module->deleted ? "true" : "false", frames, address_kind(module));
    put_text(out, "build_id", text_of(view, module->build_id));
    put_text(out, "symbols", hp_sym_status_text(module->status));
    put_text(out, "symbols_from", text_of(view, module->symbols_from));
    put_text(out, "note", text_of(view, module->note));
    put_build(out, module);
    hp_sink_text(out, ", \"return_addresses\": ");
    if (module->returns.checked > 0) {
        hp_sink_print(out, "{\"checked\": %u, \"follow_no_call\": %u}",
                      module->returns.checked, module->returns.failed);
    } else {
        hp_sink_text(out, "null");
    }
    hp_sink_print(out, ", \"lacks_inlines\": %s",
                  module->lacks_inlines ? "true" : "false");
    hp_sink_text(out, "}");
}

static void put_modules(struct hp_sink *out, const struct hp_view *view) {
    size_t *frames = hp_view_frame_counts(view);
    for (uint32_t i = 1; i < hp_view_module_count(view); i++) {
        hp_sink_text(out, i > 1 ? ",\n  " : "\n  ");
        put_module(out, view, hp_view_module(view, (hp_module_id){i}), frames[i]);
    }
    free(frames);
}

// Write "error": how far off sampling alone and rounding alone can make the sum of all
// stacks, in each column whose error is known; nothing if none is.
static void put_errors(struct hp_sink *out, const struct hp_view *view) {
    const char *between = ",\n \"error\": {";
    bool any = false;
    for (enum hp_column i = 0; i < HP_COLUMNS; i++) {
        struct hp_error_parts parts = hp_view_error_parts(view, i);
        if (parts.is_known) {
            hp_sink_text(out, between);
            hp_json_key(out, hp_metric_name(hp_space_of(i)));
            hp_sink_text(out, "{\"sampling\": ");
            hp_json_range(out, parts.sampling);
            hp_sink_text(out, ", \"rounding\": ");
            hp_json_range(out, parts.rounding);
            hp_sink_text(out, "}");
            between = ", ";
            any = true;
        }
    }
    hp_sink_text(out, any ? "}" : "");
}

void hp_json_info(struct hp_sink *out, const struct hp_view *view) {
    bool has_metric[HP_METRICS];
    hp_sink_text(out,
                 "{\"schema\": \"hprof-agg.info/1\", \"command\": \"info\",\n "
                 "\"inputs\": [");
    for (size_t i = 0; i < view->head.input_count; i++) {
        hp_sink_text(out, i > 0 ? ",\n  " : "\n  ");
        put_input(out, view, i);
    }
    hp_sink_text(out, "],\n \"processes\": [");
    put_processes(out, view);
    hp_sink_text(out, "],\n \"diagnostics\": [");
    put_diagnostics(out, view);
    hp_sink_text(out, "],\n \"modules\": [");
    put_modules(out, view);
    hp_sink_text(out, "],\n ");
    for (enum hp_metric metric = 0; metric < HP_METRICS; metric++) {
        has_metric[metric] = hp_view_has_metric(view, metric);
    }
    put_total(out, "total", &view->head.counted, has_metric);
    if (view->head.has_gain) {
        hp_sink_text(out, ",\n ");
        put_total(out, "stacks_total", &view->head.counted_stacks, has_metric);
    }
    put_errors(out, view);
    put_types(out, view, NULL);
    if (view->options.memory_limit) {
        hp_sink_text(out, ",\n ");
        hp_json_key(out, "memory_limit");
        hp_json_string(out, hp_span_of(view->options.memory_limit));
    }
    hp_json_end(out, view);
}
