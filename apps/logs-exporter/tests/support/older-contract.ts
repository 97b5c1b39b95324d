/** Preloaded into a process whose contract does not know a field of the log rows yet. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A field of today's contract that the older contract lacks. */
const learnedField = 'ja4Fingerprint'

registerHooks({
  load: (url, context, next) => {
    if (!url.endsWith('/gen/logging.full.json')) return next(url, context)
    const contract = JSON.parse(readFileSync(fileURLToPath(url), 'utf8'))
    const { LogEntry } = contract.components.schemas
    delete LogEntry.properties[learnedField]
    LogEntry.required = LogEntry.required.filter((name: string) => name !== learnedField)
    return { source: JSON.stringify(contract), format: 'json', shortCircuit: true }
  },
})
