// The texts that "Copy the command" puts on the clipboard, for each function of reports and with its name as a filter.
//
// usage: node clipboard.js PAGE...      (the texts, as JSON)
const { load } = require('./report.js');

const texts = process.argv.slice(2).flatMap((file) => {
  const { page, model } = load(file), explorer = new page.Explorer(model), state = page.stateOfFragment(model, '');
  const commandOf = (more) => page.commandOf({ model, explorer, state: { ...state, ...more } })[0];
  return [commandOf({}), ...model.names.text.flatMap((text, name) => [commandOf({ name }),
    commandOf({ only: [model.strings[text]], without: [model.strings[text]] })])];
});
console.log(JSON.stringify(texts));
