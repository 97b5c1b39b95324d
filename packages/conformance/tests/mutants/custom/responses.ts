import { alterPath, alterResponse, editJson, editText } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { alterParameters, fileNames, pageNames } from './parts.ts'

const v1 = 'logging.read-log-file'
const v2 = 'logging.query-logs'

/** Mistakes in the files of version 1. */
export const fileMutants: readonly ServerUnderTest[] = [
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
    'file.unlogged-past-day',
    'The file of a past day of a pull zone without logging is answered 204.',
    [`${v1}.404`],
    alterResponse(fileNames, (response, { call, emulator }) => {
      const isToday = call.path.startsWith(`/${fileDay(emulator.clock.now().getTime())}/`)
      return response.status === 404 && !isToday ? { status: 204, headers: {}, body: null } : response
    }),
  ),
]

/** Mistakes in the form of responses that show only in rare entries and rare errors. */
export const responseMutants: readonly ServerUnderTest[] = [
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
]

/** Returns the day of a time as version 1 writes it. */
function fileDay(ms: number): string {
  const [year, month, day] = new Date(ms).toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}
