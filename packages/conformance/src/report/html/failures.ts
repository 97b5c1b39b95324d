import { curlLine } from '../curl.ts'
import { exchangeText } from '../exchange.ts'
import { sectionLabel } from '../group.ts'
import type { CheckResult, Exchange, Report, RequirementResult } from '../model.ts'
import { plural } from '../summarize.ts'
import { duration, oneLine } from '../text.ts'
import { type Html, html, type Part } from './html.ts'
import { badge, block, checkAnchor, fragment, groundText, idCode, requirementAnchor } from './parts.ts'

/** Whether a check opens to evidence: it failed, or ended in an error. */
export function isTrouble({ outcome }: CheckResult): boolean {
  return outcome === 'fail' || outcome === 'error'
}

/** The checks that failed and then those that ended in an error, each to open; the first one is open. */
export function failures(report: Report): Html {
  const byId = new Map(report.requirements.map((requirement) => [requirement.id, requirement]))
  const troubled = report.checks.filter(isTrouble)
  const failedFirst = troubled.toSorted((one, other) => rank(one) - rank(other))
  return html`${failedFirst.map((check, index) => failure(check, byId, index === 0))}`
}

function rank({ outcome }: CheckResult): number {
  return outcome === 'fail' ? 0 : 1
}

function failure(check: CheckResult, byId: ReadonlyMap<string, RequirementResult>, open: boolean): Html {
  const { id, outcome, message, requirements, evidence, ground, through } = check
  const facts: Part[] = [
    fact(
      outcome === 'fail' ? 'Breaks' : 'About',
      requirements.map((requirement) => sentence(requirement, byId.get(requirement))),
    ),
    fact('Known to fail', check.known),
    fact('Expected', evidence?.expected),
    fact('Seen', evidence?.seen),
  ]
  return html`<details class="failure ${outcome}" id="${checkAnchor(id)}"${open && html` open`}>
<summary>${badge(outcome)}<span class="what">${idCode(id)}<span class="why">${oneLine(message ?? 'no reason given')}</span></span></summary>
<div class="body">
<dl>${facts}</dl>
<p class="note">Ground: ${groundText(ground, through)} · ${check.effect} · ${plural(check.requests, 'request')} · ${duration(check.durationMs)}</p>
${evidence?.exchanges.map(exchange)}
</div>
</details>
`
}

function sentence(id: string, requirement: RequirementResult | undefined): Html {
  const text =
    requirement && html`<q>${requirement.text}</q> <span class="section">${sectionLabel(requirement.section)}</span> `
  return html`<p>${text}<a href="#${fragment(requirementAnchor(id))}">${idCode(id)}</a></p>`
}

function fact(term: string, content: Part): Part {
  const empty = content === undefined || (Array.isArray(content) && content.length === 0)
  return !empty && html`<dt>${term}</dt><dd>${content}</dd>`
}

function exchange(one: Exchange, index: number): Html {
  const number = index + 1
  return html`<h3>Exchange ${number} <span class="note">${duration(one.durationMs)}</span></h3>
${block(`Exchange ${number}`, exchangeText(one))}
<p class="note">To repeat it; the variables stand for the credentials of the check:</p>
${block(`Command that repeats exchange ${number}`, curlLine(one.request))}
`
}
