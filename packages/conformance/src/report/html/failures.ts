import { type Html, type HtmlPart, html } from '@cdn/kit/html'
import { interfaceIn } from '../../checks/resources.ts'
import { curlLine, exchangeText } from '../evidence.ts'
import type { CheckResult, Exchange, Report } from '../model.ts'
import { cellLine, durationText, minuteText, plural, sectionLabel } from '../text.ts'
import { anchor, badge, idCode, idLink, sourceText } from './parts.ts'

/** Whether a check failed or ended in an error, so that the page shows its evidence. */
export function isProblem({ outcome }: CheckResult): boolean {
  return outcome === 'fail' || outcome === 'error'
}

/** Shows the checks that failed, then the checks in error. Only the first check is expanded. */
export function failures({ requirements, checks, changes }: Report): Html {
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]))
  const sentence = (id: string) => {
    const { text, section = '' } = byId.get(id) ?? {}
    return html`<p>${text !== undefined && html`<q>${text}</q> <span class="section">${sectionLabel(section)}</span> `}${idLink('requirement', id)}</p>`
  }
  const failedFirst = ['fail', 'error'].flatMap((outcome) => checks.filter((check) => check.outcome === outcome))
  return html`${failedFirst.map((check, index) => failure(check, check.requirements.map(sentence), index === 0, changes?.failingSince[check.id]))}`
}

function failure(check: CheckResult, sentences: readonly Html[], open: boolean, since: string | undefined): Html {
  const { id, outcome, message, evidence, source, basis } = check
  const calls = evidence?.calls && html`<code>${JSON.stringify(evidence.calls)}</code>`
  const facts: readonly (readonly [string, HtmlPart])[] = [
    [outcome === 'fail' ? 'Breaks' : 'About', sentences.length > 0 && sentences],
    ['Failing since', since && minuteText(since)],
    ['Expected failure', check.expectedFailure],
    ['Expected', evidence?.expected],
    ['Seen', evidence?.seen],
    ['Case', calls],
  ]
  return html`<details class="failure ${outcome}" id="${anchor('check', id)}"${open && html` open`}>
<summary>${badge(outcome)}<span class="what">${idCode(id)}<span class="why">${cellLine(message ?? 'no reason given')}</span></span></summary>
<div class="body">
<dl>${facts.map(([term, text]) => text !== undefined && text !== false && html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>
<p class="note">Source: ${sourceText(source, basis)} · ${check.effect} · ${plural(check.requests, 'request')} · ${durationText(check.durationMs)}</p>
${evidence?.exchanges.map((one, index) => exchange(one, index + 1, interfaceIn(id)))}
</div>
</details>
`
}

function exchange(one: Exchange, number: number, name: string): Html {
  return html`<h3>Exchange ${number} <span class="note">${durationText(one.durationMs)}</span></h3>
${block(`Exchange ${number}`, exchangeText(one))}
<p class="note">Command that repeats it, with variables for the credentials:</p>
${block(`Command that repeats exchange ${number}`, curlLine(one.request, name))}
`
}

/** Text of the target in a box that scrolls. */
function block(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}
