// `node scripts/walks.mjs`: the files that a reader opens to follow one value through the program. Fails if a listed file does not
// exist, or if a walk is longer than its bound.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

/** @type {readonly { readonly name: string, readonly bound: number, readonly folders: Readonly<Record<string, string>> }[]} */
const walks = [
  {
    name: '`cdn pull-zone get 2001`: the id from argv to the URL',
    bound: 13,
    folders: {
      'apps/cli/src': `bin main commands/root commands/program/create-program commands/program/declaration
        commands/program/value-type operations/operation-command operations/schema operations/run-operation operations/send
        target/platform`,
      'packages/api/src': 'client serializers',
    },
  },
  {
    name: 'a row of version 2 from the response to the segment file',
    bound: 30,
    folders: {
      'packages/api/src': `fetch/with-transport-errors fetch/limiter fetch/with-auth fetch/with-observer
        logs/reader logs/request-page logs/page-memory logs/page logs/read-range batches`,
      'apps/logs-exporter/src': `reader/api-reader engine/engine engine/export-open engine/plan engine/cut-windows
        engine/events rows/encoder rows/bytes rows/entry-form rows/columns rows/privacy sinks/sink sinks/segment-files
        sinks/files/disk sinks/files/index errors formats/format formats/ndjson segments/segment
        ledger/ledger`,
    },
  },
  {
    name: 'the requirement management.delete-watermark.204 from its YAML to its row in the HTML report',
    bound: 24,
    folders: {
      'packages/api/src/contract': 'parse index',
      'packages/conformance/src': `cli/cli cli/run run/plan cases/success requirements run/check
        run/open-run run/targets/target run/run-check run/call run/response run/failure run/recorder
        verdict/assemble report/model verdict/outcomes memory/conclude report/page/page report/page/tables report/page/parts
        report/text`,
      'packages/kit/src': 'html',
    },
  },
]

for (const { name, bound, folders } of walks) {
  const files = Object.entries(folders).flatMap(([folder, names]) =>
    names.split(/\s+/).map((file) => `${folder}/${file}.ts`),
  )
  const missing = files.filter((file) => !existsSync(join(root, file)))
  console.log(`${name}: ${files.length} files, at most ${bound}`)
  for (const file of missing) console.log(`  ${file} does not exist`)
  if (missing.length > 0 || files.length > bound) process.exitCode = 1
}
