// Hold JSON files against a schema with ajv, and print what is wrong.
//
// usage: node schema.js PEERS SCHEMA FILE...
const fs = require('fs');
const path = require('path');

const [peers, schema, ...files] = process.argv.slice(2);
const Ajv = require(path.resolve(peers, 'node_modules', 'ajv'));
const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

const validate = new Ajv({ allErrors: true, strict: false }).compile(read(schema));
for (const file of files) {
  if (!validate(read(file))) {
    console.log(`${file}: ${JSON.stringify(validate.errors.slice(0, 5))}`);
    process.exitCode = 1;
  }
}
