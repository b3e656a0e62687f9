// Commands that answer the next question of a reader, at most three:
//
//     "next": [{"answers": "who calls the first row, and what it calls",
//               "argv": ["hprof-agg", "peek", "^\\Qleaf\\E$", ...]}, ...]
#include "report/json/json.h"

#include "report/next_commands.h"

// Write a command.
static void put_command(struct hp_json *json, const struct hp_next_command *command) {
    char **argument;
    hp_json_row(json, 2);
    hp_json_put_word(json, "answers", command->answers);
    hp_json_line(json, 3);
    hp_json_open(json, "argv", '[');
    hp_vec_each (argument, &command->arguments) {
        hp_json_put_string(json, NULL, hp_span_of(*argument));
    }
    hp_json_close(json);
    hp_json_close(json);
}

void hp_json_next(struct hp_json *json, const struct hp_view *view) {
    struct hp_next next;
    const struct hp_next_command *command;
    hp_next_init(&next, view);
    hp_json_line(json, 1);
    hp_json_open(json, "next", '[');
    hp_vec_each (command, &next.commands) {
        put_command(json, command);
    }
    hp_json_close(json);
    hp_next_done(&next);
}
