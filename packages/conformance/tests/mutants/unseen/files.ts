import { dayMs } from '@cdn/kit/time'
import { alterAnswer, alterPath, editJson, editLines, editRows, editText } from '../alter.ts'
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
    alterAnswer(fileNames, (answer) =>
      editLines(answer, (lines) => lines.filter((line) => Number(line.split('|')[2]) % dayMs < dayMs - 1_000)),
    ),
  ),
  mutant(
    'file.not-ready-after-midnight',
    'In the first hour of a day (UTC), the file of the day before is empty.',
    [`${v1}.day`],
    alterAnswer(fileNames, (answer, { call, emulator }) => {
      const now = emulator.clock.now()
      const isEarly = now.getUTCHours() === 0 && call.path.startsWith(`/${fileDay(now.getTime() - dayMs)}/`)
      return isEarly ? editLines(answer, () => []) : answer
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
    alterAnswer(fileNames, (answer) => editLines(answer, (lines) => lines.map((line) => String(line.split('\0')[0])))),
  ),
  mutant(
    'file.unlogged-past-day',
    'The file of a past day of a pull zone without logging is answered 204.',
    [`${v1}.404`],
    alterAnswer(fileNames, (answer, { call, emulator }) => {
      const isToday = call.path.startsWith(`/${fileDay(emulator.clock.now().getTime())}/`)
      return answer.status === 404 && !isToday ? { status: 204, headers: {}, body: null } : answer
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

/** Mistakes in the form of answers that show only in rare entries and rare errors. */
export const unseenAnswers: readonly ServerMutant[] = [
  mutant(
    'answer.lower-case-found',
    'Entries that search finds show their cache status in lower case.',
    ['logging.cache-status.values'],
    alterAnswer(pageNames, (answer, { call }) =>
      new URLSearchParams(call.query).has('search')
        ? editRows(answer, (rows) =>
            rows.map((row) => ({ ...row, cacheStatus: String(row['cacheStatus']).toLowerCase() })),
          )
        : answer,
    ),
  ),
  mutant(
    'answer.control-characters',
    'Control characters stand unescaped in the JSON of version 2.',
    [`${v2}.json`],
    alterAnswer(pageNames, (answer) =>
      editText(answer, 200, (text) =>
        text.replaceAll(
          /(?<!\\)((?:\\\\)*)\\u(00[01][\da-f])/g,
          (_all, slashes: string, code: string) => slashes + String.fromCharCode(Number.parseInt(code, 16)),
        ),
      ),
    ),
  ),
  mutant(
    'answer.cut-at-buffer',
    'A page of more than 128 KiB is cut.',
    [`${v2}.json`],
    alterAnswer(pageNames, (answer) => editText(answer, 200, (text) => text.slice(0, 131_072))),
  ),
  mutant(
    'answer.unpadded-milliseconds',
    'Version 2 shows milliseconds below 100 without leading zeros, so that 7 ms become .7.',
    ['logging.agreement.v1-v2'],
    alterAnswer(pageNames, (answer) =>
      editText(answer, 200, (text) => text.replaceAll(/("timestamp":"[^".]*\.)0{1,2}(\d)/g, '$1$2')),
    ),
  ),
  mutant(
    'answer.large-size-as-text',
    'bytesSent is a text if it does not fit into 32 bits.',
    [`${v2}.body`],
    alterAnswer(pageNames, (answer) =>
      editText(answer, 200, (text) =>
        text.replaceAll(/"bytesSent":(\d{10,})/g, (all, size) =>
          Number(size) < 2 ** 31 ? all : `"bytesSent":"${size}"`,
        ),
      ),
    ),
  ),
  mutant(
    'answer.several-problems',
    'A 400 with more than one problem has a list of errors instead of the code.',
    ['logging.errors.invalid-request'],
    alterAnswer(pageNames, (answer) =>
      editJson(answer, 400, (body: { error: { details?: readonly string[] } }) =>
        (body.error.details?.length ?? 0) > 1 ? { errors: body.error.details } : body,
      ),
    ),
  ),
  mutant(
    'answer.later-refusals-empty',
    'From the tenth refusal on, a 429 has no body.',
    ['logging.errors.rate-limited'],
    seeing(logNames, () => {
      let refusals = 0
      return async ({ call, next }) => {
        const answer = await next(call)
        if (answer.status !== 429 || ++refusals < 10) return answer
        return { ...answer, headers: {}, body: null }
      }
    }),
  ),
]

/** Returns the day of a time as version 1 writes it. */
function fileDay(ms: number): string {
  const [year, month, day] = new Date(ms).toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}
