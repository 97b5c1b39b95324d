import { defined } from '@cdn/kit/defined'
import { hourMs } from '@cdn/kit/time'
import { alterCall, alterPath, alterResponse, editLines, withQuery } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'

const v1 = 'logging.read-log-file'
const names = ['read-log-file']

/** Mistakes about the lines of version 1. */
export const readLogFileMutants: readonly ServerUnderTest[] = [
  mutant('v1.commas', 'The fields of a line are joined by commas.', [`${v1}.pipe-delimited`], joinedBy(',')),
  mutant(
    'v1.empty',
    'Version 1 answers with an empty file.',
    ['logging.service.raw-logs', 'logging.agreement.v1-v2'],
    alterResponse(names, (response) => editLines(response, () => [])),
  ),
  mutant(
    'v1.day-before',
    'The file is the one of the previous day.',
    [`${v1}.day`],
    alterPath(names, (path) => path.replace(/(\d\d)-(\d\d)-(\d\d)/, dayBefore)),
  ),
  mutant(
    'v1.local-time',
    'The time of a line is two hours behind UTC.',
    [`${v1}.day`],
    fieldOf('timestamp', (value) => String(Number(value) - 2 * hourMs)),
  ),
  mutant(
    'v1.status-text',
    'The status code is followed by its name.',
    [`${v1}.line`],
    fieldOf('statusCode', (value) => `${value} OK`),
  ),
  mutant(
    'v1.pipes-kept',
    'Pipes inside texts are not removed.',
    [`${v1}.line`],
    fieldOf('userAgent', () => 'a|b'),
  ),
  mutant(
    'v1.wrong-zone',
    'Version 1 shows the lines of another pull zone.',
    [`${v1}.zone`, 'logging.agreement.v1-v2'],
    alterPath(names, (path, { fixtures: { loggedZoneId, otherLoggedZoneId } }) =>
      path.replace(loggedZoneId, otherLoggedZoneId),
    ),
  ),
  mutant(
    'v1.lines-twice',
    'Every tenth line occurs twice.',
    ['logging.agreement.v1-v2'],
    alterResponse(names, (response) =>
      editLines(response, (all) => all.flatMap((line, index) => (index % 10 === 9 ? [line, line] : [line]))),
    ),
  ),
  mutant(
    'v1.order-swapped',
    'asc and desc are swapped.',
    [`${v1}.order`],
    alterCall(names, (call) =>
      withQuery(call, (query) => {
        if (query.has('sort')) query.set('sort', query.get('sort') === 'asc' ? 'desc' : 'asc')
      }),
    ),
  ),
  mutant(
    'v1.start-from-one',
    'Lines are counted from one.',
    [`${v1}.slice`],
    alterCall(names, (call) =>
      withQuery(call, (query) => {
        if (query.has('start')) query.set('start', String(Math.max(0, Number(query.get('start')) - 1)))
      }),
    ),
  ),
]

function lines(change: (line: string) => string) {
  return alterResponse(names, (response) => editLines(response, (all) => all.map(change)))
}

function joinedBy(separator: string) {
  return lines((line) => line.replaceAll('|', separator))
}

/** Changes one field of each line, by its name in the contract. */
function fieldOf(name: string, change: (value: string) => string) {
  return alterResponse(names, (response, { operation }) => {
    const fields = defined(operation.responses.find(({ line }) => line)?.line)
    const fieldIndex = fields.findIndex((field) => field.name === name)
    return editLines(response, (all) =>
      all.map((line) =>
        line
          .split('|')
          .map((value, index) => (index === fieldIndex ? change(value) : value))
          .join('|'),
      ),
    )
  })
}

function dayBefore(_: string, month: string, date: string, year: string): string {
  const time = new Date(Date.UTC(2000 + Number(year), Number(month) - 1, Number(date) - 1)).toISOString()
  return `${time.slice(5, 10)}-${time.slice(2, 4)}`
}
