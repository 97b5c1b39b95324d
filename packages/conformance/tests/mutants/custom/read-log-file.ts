/** Mistakes in version 1 of the logs (§4.4) that the generated mutants do not cover. */
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs, hourMs } from '@cdn/kit/time'
import { alterPath, alterResponse, sharedResponse, textOf } from '../alter-calls.ts'
import { alterLines, alterParameter, alterQuery, reverseOrder, v1 } from '../alter-logs.ts'
import { type Behaviour, mutantsOf, type ServerUnderTest } from '../mutant.ts'

export const readLogFileMutants: readonly ServerUnderTest[] = mutantsOf('logging.read-log-file', {
  'v1: the fields of a line are joined by commas': [
    'pipe-delimited',
    alterLines((all) => all.map((line) => line.replaceAll('|', ','))),
  ],
  'v1: it answers with an empty file': ['logging.service.raw-logs logging.agreement.v1-v2', alterLines(() => [])],
  'v1: the file is the one of the previous day': ['day', otherDay(-1)],
  'v1: a day beyond the end of its month is one of the next month': ['day', otherDay(0)],
  'v1: the time of a line is two hours behind UTC': [
    'day',
    field('timestamp', (text) => `${Number(text) - 2 * hourMs}`),
  ],
  'v1: the status code is followed by its name': ['line', field('statusCode', (text) => `${text} OK`)],
  'v1: the bytes of a line are negative': ['line', field('bytesSent', (text) => `-${text}`)],
  'v1: pipes inside texts are kept': ['line', field('userAgent', () => 'a|b')],
  'v1: it shows the lines of another pull zone': [
    'zone logging.agreement.v1-v2',
    alterPath(v1, (path, { fixtures: { loggedZoneId, otherLoggedZoneId } }) =>
      path.replace(loggedZoneId, otherLoggedZoneId),
    ),
  ],
  'v1: a line whose time ends with 9 occurs twice': [
    'logging.agreement.v1-v2',
    alterLines((all) => all.flatMap((line) => (timeOf(line) % 10 === 9 ? [line, line] : [line]))),
  ],
  'v1: asc and desc are swapped': ['order', alterParameter(v1, 'sort', reverseOrder)],
  'v1: lines are counted from one': [
    'slice',
    alterParameter(v1, 'start', (text) => (isLine(text) ? String(Math.max(0, Number(text) - 1)) : text)),
  ],
  'v1: a file is empty with a token': [
    'bearer',
    alterResponse(v1, (response, { call }) =>
      response.status === 200 && !call.headers.get('AccessKey') ? { ...response, body: '' } : response,
    ),
  ],
  'v1: a status ends the search': [
    'filters-combine',
    alterQuery(v1, (sent) => sent.has('status') && sent.delete('search')),
  ],
  'v1: without sort, it starts one line late': ['slice', alterQuery(v1, startLate)],
  'v1: it shows other networks than version 2': [
    'logging.agreement.v1-v2',
    alterLines((all) => all.map((line) => line.replaceAll('.0|', '.7|'))),
  ],
  'v1: with sort=asc, status is ignored': [
    'status-filter',
    alterQuery(v1, (sent) => sent.get('sort') === 'asc' && sent.delete('status')),
  ],
  'v1: a past day of a pull zone without logging is answered 204': [
    '404',
    alterResponse(v1, (response, { call, emulator }) => {
      const isToday = call.path.startsWith(`/${pathDay(emulator.clock.now().getTime())}/`)
      return response.status === 404 && !isToday ? { status: 204, headers: {}, body: null } : response
    }),
  ],
  'v1: the files of the first days of the retention lack their last hour': [
    'logging.service.raw-logs logging.agreement.v1-v2',
    alterLines((all, { emulator }) =>
      all.filter((line) => {
        const time = timeOf(line)
        return !(time < emulator.clock.now().getTime() - 1.7 * dayMs && time % dayMs > 0.958 * dayMs)
      }),
    ),
  ],
  'v1: it lacks the last two hours, which version 2 shows': [
    'logging.agreement.v1-v2',
    alterLines((all, { emulator }) => all.filter((line) => timeOf(line) < emulator.clock.now().getTime() - 2 * hourMs)),
  ],
  'v1: a file is encoded as Latin-1': [
    'encoding logging.agreement.v1-v2',
    alterResponse(v1, (response) =>
      response.status === 200 ? { ...response, body: Buffer.from(textOf(response), 'latin1') } : response,
    ),
  ],
  'parallel: reads of files at once get the same file': ['zone', sharedResponse('read-log-file')],
})

const timeOf = (line: string) => Number(line.split('|')[2])

/** Whether a text is a line number that the platform accepts. */
const isLine = (text: string | null) => /^\d{1,9}$/.test(text ?? '')

function startLate(sent: URLSearchParams): void {
  const start = sent.get('start')
  if (!sent.has('sort') && isLine(start)) sent.set('start', String(Number(start) + 1))
}

/** Serves the file `later` days after the requested day. A day beyond the end of its month counts as one of the next month. */
function otherDay(later: number): Behaviour {
  return alterPath(v1, (path) =>
    path.replace(/(\d\d)-(\d\d)-(\d\d)/, (_, month: string, day: string, year: string) =>
      pathDay(Date.UTC(2000 + Number(year), Number(month) - 1, Number(day) + later)),
    ),
  )
}

/** Formats the day of a time as in the path of version 1: `MM-DD-YY`. */
function pathDay(time: number): string {
  const text = new Date(time).toISOString()
  return `${text.slice(5, 10)}-${text.slice(2, 4)}`
}

/** Changes one field of each line, by its name in the contract. */
function field(name: string, change: (text: string) => string): Behaviour {
  return alterLines((all, { operation }) => {
    const fields = assertDefined(operation.responses.find(({ line }) => line)?.line)
    const at = fields.findIndex((each) => each.name === name)
    return all.map((line) =>
      line
        .split('|')
        .map((text, index) => (index === at ? change(text) : text))
        .join('|'),
    )
  })
}
