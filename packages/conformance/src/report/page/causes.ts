import { plural } from '@cdn/kit/plural'
import { oneLine, operationText, sectionLabel } from '../../exchange/format-text.ts'
import type { Cause, Report, ReportedExchange, RequirementResult } from '../../exchange/report-model.ts'
import {
  type CauseFacts,
  causeClause,
  causeFacts,
  exchangeLine,
  expectedText,
  seenText,
  vendorText,
} from '../cause-text.ts'
import { curlLine, exchangeText } from '../evidence.ts'
import { type Html, type HtmlPart, html } from '../html.ts'
import { anchor, block, idLink, sectionHtml } from './parts.ts'

/** Number of causes that are open at first. The others are collapsed, so that the page stays short. */
const shownInFull = 2

/** The causes as cards: first those that fail the run, then the others. */
export function causesSection(report: Report): Html | undefined {
  const { causes, failOn } = report
  if (causes.length === 0) return undefined
  const cards = causes.map((cause, index) => [cause, card(report, cause, index)] as const)
  const isDecisive = ({ outcome, source, reason }: Cause) => !reason && (outcome === 'error' || failOn.includes(source))
  const others = cards.filter(([cause]) => !isDecisive(cause)).map(([, shown]) => shown)
  return sectionHtml(
    'causes',
    'Causes',
    cards.filter(([cause]) => isDecisive(cause)).map(([, shown]) => shown),
    others.length > 0 && html`<h3>Expected or outside the spec, so they do not fail the run</h3>\n`,
    others,
  )
}

function card(report: Report, cause: Cause, index: number): Html {
  const facts = causeFacts(report, cause)
  const { sentences, undecided, since } = facts
  const [method = '', ...path] = operationText(cause.operation).split(' ')
  const isOne = path[0]?.startsWith('/') === true
  const [first, ...others] = sentences
  const number = index + 1
  return html`<details class="cause ${cause.reason === undefined ? cause.outcome : 'expected'}" id="${anchor('cause', cause.id)}"${index < shownInFull && html` open`}>
<summary><span class="top">${isOne && html`<span class="method">${method}</span>`}<span class="path">${isOne ? path.join(' ') : operationText(cause.operation)}</span><span class="since">${since === '' ? 'new' : `since ${since}`}</span></span>
<h3>${headline(cause)}</h3></summary>
${cause.reason !== undefined && html`<p class="note">Expected: ${cause.reason}</p>`}
${first ? quote(first) : cause.outcome === 'error' && html`<p class="note">No sentence is certainly broken: the target gave no usable response.</p>`}
<div class="pair"><div><small>Expected</small><p>${expectedText(cause.expected)}</p></div><div class="seen"><small>Seen by ${plural(cause.checks.length, 'check')}</small>${seenHtml(facts)}</div></div>
<p class="act" hidden><button type="button" data-copy="vendor-${number}">Copy for the vendor</button>${facts.exchanges.length > 0 && html` <button type="button" data-copy="curl-${number}">Copy curl</button>`}<output aria-live="polite"></output></p>
${exchangesOf(facts, number)}
${list('also broken by it', others)}
${list('undecided because of it', undecided)}
<details><summary>Text for the vendor</summary>${block(`Text for the vendor about cause ${number}`, vendorText(report, cause).join('\n\n'), `vendor-${number}`)}</details>
</details>
`
}

/** The observation: the text of the check, or the status and the body if one response shows the cause. */
function seenHtml({ cause, exchanges }: CauseFacts): Html {
  const response = exchanges.length === 1 ? exchanges[0]?.response : undefined
  if (cause.seen.kind !== 'status' || !response) return html`<p>${seenText(cause.seen)}</p>`
  return html`<p>${seenText(cause.seen)}${response.body !== '' && html` <code>${oneLine(response.body, 200)}</code>`}</p>`
}

function headline(cause: Cause): string {
  const title = causeClause(cause)
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}

function quote({ text, section, id }: RequirementResult): Html {
  return html`<blockquote><p>${text}</p><cite>${sectionLabel(section)} · ${idLink('requirement', id)}</cite></blockquote>`
}

function exchangesOf({ exchanges, check }: CauseFacts, number: number): HtmlPart {
  const calls = check?.evidence?.calls ?? []
  const shown = exchanges.map((one, index) => exchange(one, `${number}.${index + 1}`))
  const curl = exchanges.map(({ request }) => curlLine(request)).join('\n')
  return [
    exchanges.length > 0 &&
      html`<details><summary>${exchanges.length === 1 ? 'Request and response' : `${exchanges.length} requests and responses`} <span class="note">${exchangeLine(exchanges[0] as ReportedExchange)}</span></summary>${shown}</details>`,
    exchanges.length > 0 &&
      html`<details><summary>${exchanges.length === 1 ? 'Command' : 'Commands'}, with variables for the credentials</summary>${block(`Commands of cause ${number}`, curl, `curl-${number}`)}</details>`,
    calls.length > 0 &&
      html`<details><summary>The smallest case, ${plural(calls.length, 'call')}</summary>${block(`Case of cause ${number}`, calls.map((call) => JSON.stringify(call)).join('\n'))}</details>`,
  ]
}

function exchange(one: ReportedExchange, number: string): Html {
  return html`<p class="note">${one.operation && `${operationText(one.operation)} · `}${exchangeLine(one)}</p>${block(`Exchange ${number}`, exchangeText(one))}`
}

function list(what: string, sentences: readonly RequirementResult[]): HtmlPart {
  if (sentences.length === 0) return undefined
  const items = sentences.map(({ text, id }) => html`<li>${text} ${idLink('requirement', id)}</li>\n`)
  return html`<details><summary>${plural(sentences.length, 'sentence')} ${what}</summary><ul>${items}</ul></details>`
}
