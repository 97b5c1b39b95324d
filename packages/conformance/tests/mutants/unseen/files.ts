import { dayMs } from '@cdn/kit/time'
import { alterPath, alterResponse, editJson, editLines, editRows, editText } from '../alter.ts'
import { mutant, type ServerMutant } from '../mutant.ts'
import { alterParameters, crashes, fileNames, logNames, pageNames, seeing } from './parts.ts'

const v1 = 'logging.read-log-file'
const v2 = 'logging.query-logs'

/** Mistakes in the files of version 1. */
export const unseenFiles: readonly ServerMutant[] = [
  mutant(
    'file.last-second',
    'A file misses the last second of its day.',
    [`${v1}.day`],
    alterResponse(fileNames, (response) =>
      editLines(response, (lines) => lines.filter((line) => Number(line.split('|')[2]) % dayMs < dayMs - 1_000)),
    ),
  ),
  mutant(
    'file.not-ready-after-midnight',
    'In the first hour of a day (UTC), the file of the day before is empty.',
    [`${v1}.day`],
    alterResponse(fileNames, (response, { call, emulator }) => {
      const now = emulator.clock.now()
      const isEarly = now.getUTCHours() === 0 && call.path.startsWith(`/${fileDay(now.getTime() - dayMs)}/`)
      return isEarly ? editLines(response, () => []) : response
    }),
  ),
  mutant(
    'file.impossible-day',
    'A day beyond the end of its month is answered with a day of the next one.',
    [`${v1}.day`],
    alterPath(fileNames, (path) =>
      path.replace(/\d\d-\d\d-\d\d/, (text) => {
        const [month, day, year] = text.split('-').map(Number)
        return fileDay(Date.UTC(2000 + Number(year), Number(month) - 1, day))
      }),
    ),
  ),
  mutant(
    'file.ascending-status',
    'With sort=asc, status is ignored.',
    [`${v1}.status-filter`],
    alterParameters(
      fileNames,
      (query) => query.get('sort') === 'asc',
      (query) => query.delete('status'),
    ),
  ),
  mutant(
    'file.nul-ends-line',
    'A NUL in a text ends the line.',
    [`${v1}.pipe-delimited`],
    alterResponse(fileNames, (response) =>
      editLines(response, (lines) => lines.map((line) => String(line.split('\0')[0]))),
    ),
  ),
  mutant(
    'file.unlogged-past-day',
    'The file of a past day of a pull zone without logging is answered 204.',
    [`${v1}.404`],
    alterResponse(fileNames, (response, { call, emulator }) => {
      const isToday = call.path.startsWith(`/${fileDay(emulator.clock.now().getTime())}/`)
      return response.status === 404 && !isToday ? { status: 204, headers: {}, body: null } : response
    }),
  ),
  mutant(
    'file.broken-text-crashes',
    'Version 1 fails on a search text that is not UTF-8, such as a lone surrogate.',
    [`${v1}.2xx`],
    crashes(
      fileNames,
      (query, raw) => (query.get('search')?.includes('\ufffd') ?? false) && !raw.includes('%EF%BF%BD'),
    ),
  ),
]

/** Mistakes in the form of responses that show only in rare entries and rare errors. */
export const unseenResponses: readonly ServerMutant[] = [
  mutant(
    'response.lower-case-found',
    'Entries that search finds show their cache status in lower case.',
    ['logging.cache-status.values'],
    alterResponse(pageNames, (response, { call }) =>
      new URLSearchParams(call.query).has('search')
        ? editRows(response, (rows) =>
            rows.map((row) => ({ ...row, cacheStatus: String(row['cacheStatus']).toLowerCase() })),
          )
        : response,
    ),
  ),
  mutant(
    'response.control-characters',
    'Control characters stand unescaped in the JSON of version 2.',
    [`${v2}.json`],
    alterResponse(pageNames, (response) =>
      editText(response, 200, (text) =>
        text.replaceAll(
          /(?<!\\)((?:\\\\)*)\\u(00[01][\da-f])/g,
          (_all, slashes: string, code: string) => slashes + String.fromCharCode(Number.parseInt(code, 16)),
        ),
      ),
    ),
  ),
  mutant(
    'response.cut-at-buffer',
    'A page of more than 128 KiB is cut.',
    [`${v2}.json`],
    alterResponse(pageNames, (response) => editText(response, 200, (text) => text.slice(0, 131_072))),
  ),
  mutant(
    'response.unpadded-milliseconds',
    'Version 2 shows milliseconds below 100 without leading zeros, so that 7 ms become .7.',
    ['logging.agreement.v1-v2'],
    alterResponse(pageNames, (response) =>
      editText(response, 200, (text) => text.replaceAll(/("timestamp":"[^".]*\.)0{1,2}(\d)/g, '$1$2')),
    ),
  ),
  mutant(
    'response.large-size-as-text',
    'bytesSent is a text if it does not fit into 32 bits.',
    [`${v2}.body`],
    alterResponse(pageNames, (response) =>
      editText(response, 200, (text) =>
        text.replaceAll(/"bytesSent":(\d{10,})/g, (all, size) =>
          Number(size) < 2 ** 31 ? all : `"bytesSent":"${size}"`,
        ),
      ),
    ),
  ),
  mutant(
    'response.several-problems',
    'A 400 with more than one problem has a list of errors instead of the code.',
    ['logging.errors.invalid-request'],
    alterResponse(pageNames, (response) =>
      editJson(response, 400, (body: { error: { details?: readonly string[] } }) =>
        (body.error.details?.length ?? 0) > 1 ? { errors: body.error.details } : body,
      ),
    ),
  ),
  mutant(
    'response.later-refusals-empty',
    'From the tenth refusal on, a 429 has no body.',
    ['logging.errors.rate-limited'],
    seeing(logNames, () => {
      let refusals = 0
      return async ({ call, next }) => {
        const response = await next(call)
        if (response.status !== 429 || ++refusals < 10) return response
        return { ...response, headers: {}, body: null }
      }
    }),
  ),
]

/** Returns the day of a time as version 1 writes it. */
function fileDay(ms: number): string {
  const [year, month, day] = new Date(ms).toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}
