/** Writes the rows of a folder to standard output in a process that can be killed: `node stdout-writer.ts FOLDER`. */
import { assertDefined } from '@cdn/kit/assert-defined'
import { sleep } from '@cdn/kit/wait'
import { openDeadLetters } from '../../src/ledger/dead-letters.ts'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import { writeRows } from '../../src/stdout.ts'

const folder = assertDefined(process.argv[2])
const sink = await openSink({ type: 'files', path: `${folder}/logs`, format: 'ndjson', compression: 'zstd' }, {})
const ledger = openLedger(`${folder}/state`)
const isWhole = await writeRows(
  {
    output: process.stdout,
    sink,
    ledger,
    rejects: openDeadLetters(`${folder}/state`),
    observe: () => {},
    sleep,
    signal: new AbortController().signal,
  },
  { untilWritten: true },
)
await ledger.close()
process.exitCode = isWhole ? 0 : 1
