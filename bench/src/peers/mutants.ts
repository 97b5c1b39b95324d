import type { Answer, Emulator } from '@cdn/emulator'
import type { Mutant } from './subjects.ts'

/** Mistakes of several kinds, until the suite's own list can be driven. */
export const mutants: readonly Mutant[] = [
  answering('delete-200', ['management.delete-watermark.204'], 'delete-watermark', 204, (a) => ({ ...a, status: 200 })),
  answering('delete-202', ['management.delete-watermark.204'], 'delete-watermark', 204, (a) => ({ ...a, status: 202 })),
  answering('delete-body', ['management.delete-watermark.204'], 'delete-watermark', 401, (a) => ({ ...a, body: '{}' })),
  answering('code', ['logging.errors.logging-disabled'], 'query-logs', 404, (a) => edit(a, 'logging_disabled', 'x')),
  answering('status', ['logging.cache-status.values'], 'query-logs', 200, (a) => edit(a, /"HIT"/g, '"CACHED"')),
  answering('message', ['management.errors.message'], 'delete-watermark', 404, (a) => edit(a, '"Message"', '"message"')),
  answering('message-number', ['management.errors.message'], 'delete-watermark', 404, (a) => edit(a, /"Message":".*?"/, '"Message":1')),
  answering('403-as-401', ['logging.authentication.invalid'], 'query-logs', 403, (a) => ({ ...a, status: 401 })),
  answering('404-as-410', ['management.delete-watermark.404'], 'delete-watermark', 404, (a) => ({ ...a, status: 410 })),
  answering('html', ['logging.query-logs.json'], 'query-logs', 200, (a) => ({ ...a, headers: { 'content-type': 'text/html' }, body: '<p>' })),
  answering('limit', ['logging.rate-limit.429'], 'query-logs', 429, (a) => ({ ...a, status: 200 })),
]

function answering(id: string, breaks: string[], name: string, status: number, change: (answer: Answer) => Answer): Mutant {
  const apply = (emulator: Emulator) => {
    emulator.faults.add({
      name: id,
      text: id,
      async around(call, operation, next) {
        const answer = await next(call, operation)
        return operation.name === name && answer.status === status ? change(answer) : answer
      },
    })
  }
  return { id, text: id, breaks, apply }
}

function edit(answer: Answer, from: string | RegExp, to: string): Answer {
  return { ...answer, body: typeof answer.body === 'string' ? answer.body.replace(from, to) : [...(answer.body ?? [])].join('').replace(from, to) }
}
