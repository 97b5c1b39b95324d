import { hooks, type Middleware } from '@cdn/api'
import { formatSpan } from './figures.ts'
import type { StatusLine } from './status-line.ts'

/** Tells on the status line of a request that failed and is repeated, so that nobody takes the pause for silence. */
export function retryNotice(line: StatusLine): Middleware {
  return hooks({
    retry: (_call, { error, pauseMs }) => {
      line.show(`${error.message}; once more in ${formatSpan(pauseMs)}`).catch(() => {})
    },
  })
}
