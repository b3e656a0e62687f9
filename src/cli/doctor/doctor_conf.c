// jemalloc reads keys of letters, digits and _, then ':', then a value up to ','.  It stops
// at the first pair that is malformed.
#include "cli/doctor/doctor_conf.h"

#include <string.h>

// The options of jemalloc 3 to 5.3.
static const char names[] =
    " abort abort_conf arena background_thread cache_oblivious chunk confirm_conf "
    "decay_time default_huge dirty_decay_ms dss experimental_hpa_max_purge_nhp "
    "experimental_infallible_new experimental_tcache_gc hpa hpa_dirty_mult "
    "hpa_hugification_threshold hpa_hugification_threshold_ratio hpa_hugify_delay_ms "
    "hpa_min_purge_interval_ms hpa_sec_batch_fill_extra hpa_sec_bytes_after_flush "
    "hpa_sec_max_alloc hpa_sec_max_bytes hpa_sec_nshards hpa_slab_max_alloc huge_arena_pac_"
    "thp junk lg_chunk lg_dirty_mult lg_extent_max_active_fit lg_prof_interval "
    "lg_prof_sample lg_san_uaf_align lg_tcache_flush_large_div lg_tcache_flush_small_div "
    "lg_tcache_max lg_tcache_nslots_mul max_background_threads max_batched_size "
    "metadata_thp mutex_max_spin muzzy_decay_ms narenas narenas_ratio oversize_threshold "
    "percpu_arena prof prof_accum prof_active prof_bt_max prof_final prof_gdump prof_leak "
    "prof_leak_error prof_log prof_prefix prof_pid_namespace prof_recent_alloc_max "
    "prof_stats prof_sys_thread_name prof_thread_active_init prof_time_resolution "
    "prof_unbias purge quarantine redzone remote_free_max_batch retain "
    "san_guard_large san_guard_small slab_sizes stats_interval stats_interval_opts "
    "stats_print stats_print_opts tcache tcache_gc_delay_bytes tcache_gc_incr_bytes "
    "tcache_max tcache_ncached_max tcache_nslots_large tcache_nslots_small_max "
    "tcache_nslots_small_min thp trust_madvise utrace valgrind xmalloc zero zero_realloc ";

static bool is_option(const char *key, size_t length) {
    char word[64] = " ";
    if (length == 0 || length > sizeof word - 3) {
        return false;
    }
    memcpy(word + 1, key, length);
    strcpy(word + 1 + length, " ");
    return strstr(names, word) != NULL;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

// Note an option that matters.
static void note(struct hp_doctor_conf *conf, const char *key, size_t length,
                 const char *value, size_t size) {
    bool is_true = is_word(value, size, "true");
    if (is_word(key, length, "prof")) {
        conf->is_on = is_true;
    } else if (is_word(key, length, "prof_active")) {
        conf->is_inactive = is_word(value, size, "false");
    } else if (is_word(key, length, "prof_final") || is_word(key, length, "prof_leak")) {
        conf->has_final |= is_true;
    } else if (is_word(key, length, "prof_gdump")) {
        conf->has_others |= is_true;
    } else if (is_word(key, length, "lg_prof_interval")) {
        conf->has_others |= size > 0 && value[0] != '-';
    } else if (is_word(key, length, "prof_prefix") && size < sizeof conf->prefix) {
        memcpy(conf->prefix, value, size);
        conf->prefix[size] = '\0';
    }
}

void hp_doctor_conf_read(struct hp_doctor *doctor, struct hp_doctor_conf *conf,
                         const char *text, const char *where) {
    hp_doctor_add(doctor, HP_DOCTOR_SETTING, "%s: %s", where, text);
    while (*text) {
        size_t length = strspn(text,
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789_");
        if (text[length] != ':' || length == 0) {
            hp_doctor_add(doctor, HP_DOCTOR_NO_PAIR, "%s: %.100s", where, text);
            return;
        }
        const char *value = text + length + 1;
        size_t size = strcspn(value, ",");
        if (!is_option(text, length)) {
            hp_doctor_add(doctor, HP_DOCTOR_UNKNOWN_KEY, "%s: %.*s", where,
                          (int)(length < 100 ? length : 100), text);
        }
        note(conf, text, length, value, size);
        text = value + size + (value[size] == ',');
    }
}
