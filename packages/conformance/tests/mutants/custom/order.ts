/** Mistakes that show only at once, in a near miss, in another notation, or at the end of the retention. */
import { setTimeout } from 'node:timers/promises'
import { dayMs } from '@cdn/kit/time'
import { alterCall, editLines, withHeader, withQuery } from '../alter.ts'
import { mutant, on, type ServerUnderTest } from '../mutant.ts'
import { alterParameters, fileNames, logNames, pageNames } from './parts.ts'

/** Answers reads that are served at the same time with the response of the last one. */
const sharedResponse = (name: string) =>
  on([name], () => {
    let last: Awaited<ReturnType<Parameters<ReturnType<ReturnType<typeof on>>>[2]>> | undefined
    return async (call, operation, next) => {
      const response = await next(call, operation)
      if (response.status !== 200) return response
      last = response
      await setTimeout(30)
      return last
    }
  })

/** A stated time without its offset. */
const withoutOffset = (text: string | null) => (text ?? '').replace(/[+-]\d\d:\d\d$/, 'Z')

export const orderMutants: readonly ServerUnderTest[] = [
  mutant(
    'parallel.zone-of-another',
    'Reads of pull zones at once get the response of the last one.',
    ['management.get-pull-zone.id'],
    sharedResponse('get-pull-zone'),
  ),
  mutant(
    'parallel.library-of-another',
    'Reads of libraries at once get the response of the last one.',
    ['management.get-video-library.id'],
    sharedResponse('get-video-library'),
  ),
  mutant(
    'parallel.page-of-another',
    'Queries at once get the same page.',
    ['logging.query-logs.zone'],
    sharedResponse('query-logs'),
  ),
  mutant(
    'parallel.file-of-another',
    'Reads of files at once get the same file.',
    ['logging.read-log-file.zone'],
    sharedResponse('read-log-file'),
  ),
  mutant(
    'near.signature-prefix',
    'Only the first half of the signature of a token is compared.',
    ['logging.authentication.invalid'],
    alterCall(logNames, (call, { emulator }) => {
      const { bearer } = emulator.fixtures.credentials
      const sent = call.headers.get('Authorization') ?? ''
      const half = `Bearer ${bearer.slice(0, bearer.length - (bearer.split('.')[2] ?? '').length / 2)}`
      return sent.length >= half.length && sent.startsWith(half)
        ? withHeader(call, 'Authorization', `Bearer ${bearer}`)
        : call
    }),
  ),
  mutant(
    'near.key-case',
    'The case of the letters of a key does not matter.',
    ['logging.authentication.invalid'],
    alterCall(logNames, (call, { emulator }) => {
      const sent = call.headers.get('AccessKey')?.toLowerCase()
      const known = [...emulator.state.keys.keys()].find((key) => key.toLowerCase() === sent)
      return known === undefined ? call : withHeader(call, 'AccessKey', known)
    }),
  ),
  mutant(
    'near.two-invalid',
    'Two invalid credentials at once are accepted.',
    ['logging.authentication.invalid'],
    alterCall(logNames, (call, { emulator }) =>
      call.headers.get('AccessKey') && call.headers.get('Authorization')
        ? withHeader(withHeader(call, 'Authorization', null), 'AccessKey', emulator.fixtures.credentials.accessKey)
        : call,
    ),
  ),
  mutant(
    'notation.offset-ignored',
    'The offset of a time is ignored.',
    ['logging.query-logs.notations'],
    alterCall(pageNames, (call) =>
      withQuery(call, (query) => {
        for (const name of ['from', 'to']) if (query.has(name)) query.set(name, withoutOffset(query.get(name)))
      }),
    ),
  ),
  mutant(
    'notation.stated-default',
    'If the default order is stated, a filter by country is ignored.',
    ['logging.query-logs.notations'],
    alterParameters(
      pageNames,
      (query) => query.get('order') === 'desc' && query.has('offset'),
      (query) => query.delete('country'),
    ),
  ),
  mutant(
    'v1.last-hour-lost',
    'The files of the first days of the retention lack their last hour.',
    ['logging.agreement.v1-v2'],
    on(fileNames, ({ clock }) => async (call, operation, next) => {
      const response = await next(call, operation)
      const now = clock.now().getTime()
      return editLines(response, (lines) =>
        lines.filter((line) => {
          const time = Number(line.split('|')[2])
          return !(time < now - 1.7 * dayMs && time % dayMs > 0.958 * dayMs)
        }),
      )
    }),
  ),
]
