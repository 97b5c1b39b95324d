import type { Evidence, Exchange } from './model.ts'

/** Formats an exchange as plain text, like `curl -v`: request lines start with `>`, response lines with `<`. */
export function exchangeText(exchange: Exchange): string {
  const { request, response, error } = exchange
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), ...bodyLines(request.body)]
  const came = response
    ? [`${response.status}`, ...headerLines(response.headers), ...bodyLines(response.body)]
    : [`no response${error === undefined ? '' : `: ${error}`}`]
  return [...sent.map((line) => `> ${line}`), ...came.map((line) => `< ${line}`)].join('\n')
}

/** Formats all evidence of a check as plain text; empty without evidence. */
export function evidenceText(evidence: Evidence | undefined): string {
  if (!evidence) return ''
  const { expected, seen, exchanges } = evidence
  return [
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(seen === undefined ? [] : [`seen: ${seen}`]),
    ...exchanges.map((exchange) => `\n${exchangeText(exchange)}`),
  ].join('\n')
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}

function bodyLines(body: string | undefined): string[] {
  return body ? ['', ...body.split('\n')] : []
}
