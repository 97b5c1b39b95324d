import { interfaceIn } from '../../checks/resources.ts'
import { curlLine } from '../curl.ts'
import { exchangeText } from '../exchange.ts'
import { sectionLabel } from '../group.ts'
import type { CheckResult, Exchange, Report, RequirementResult } from '../model.ts'
import { plural } from '../summarize.ts'
import { cellLine, durationText } from '../text.ts'
import { type Html, type HtmlPart, html } from './html.ts'
import { badge, block, checkAnchor, idCode, requirementLink, sourceText } from './parts.ts'

/** Whether a check failed or ended in an error, so that the page shows its evidence. */
export function isProblem({ outcome }: CheckResult): boolean {
  return outcome === 'fail' || outcome === 'error'
}

/** Shows the checks that failed, then the checks in error. Only the first check is expanded. */
export function failures(report: Report): Html {
  const byId = new Map(report.requirements.map((requirement) => [requirement.id, requirement]))
  const problems = report.checks.filter(isProblem)
  const failedFirst = problems.toSorted((one, other) => rank(one) - rank(other))
  return html`${failedFirst.map((check, index) => failure(check, byId, index === 0))}`
}

function rank({ outcome }: CheckResult): number {
  return outcome === 'fail' ? 0 : 1
}

function failure(check: CheckResult, byId: ReadonlyMap<string, RequirementResult>, open: boolean): Html {
  const { id, outcome, message, requirements, evidence, source, basis } = check
  const facts: HtmlPart[] = [
    fact(
      outcome === 'fail' ? 'Breaks' : 'About',
      requirements.map((requirement) => sentence(requirement, byId.get(requirement))),
    ),
    fact('Expected failure', check.expectedFailure),
    fact('Expected', evidence?.expected),
    fact('Seen', evidence?.seen),
    fact('Case', evidence?.calls && html`<code>${JSON.stringify(evidence.calls)}</code>`),
  ]
  return html`<details class="failure ${outcome}" id="${checkAnchor(id)}"${open && html` open`}>
<summary>${badge(outcome)}<span class="what">${idCode(id)}<span class="why">${cellLine(message ?? 'no reason given')}</span></span></summary>
<div class="body">
<dl>${facts}</dl>
<p class="note">Source: ${sourceText(source, basis)} · ${check.effect} · ${plural(check.requests, 'request')} · ${durationText(check.durationMs)}</p>
${evidence?.exchanges.map((one, index) => exchange(one, index, interfaceIn(id)))}
</div>
</details>
`
}

function sentence(id: string, requirement: RequirementResult | undefined): Html {
  const text =
    requirement && html`<q>${requirement.text}</q> <span class="section">${sectionLabel(requirement.section)}</span> `
  return html`<p>${text}${requirementLink(id)}</p>`
}

function fact(term: string, content: HtmlPart): HtmlPart {
  const empty = content === undefined || (Array.isArray(content) && content.length === 0)
  return !empty && html`<dt>${term}</dt><dd>${content}</dd>`
}

function exchange(one: Exchange, index: number, name: string | undefined): Html {
  const number = index + 1
  return html`<h3>Exchange ${number} <span class="note">${durationText(one.durationMs)}</span></h3>
${block(`Exchange ${number}`, exchangeText(one))}
<p class="note">Command that repeats it, with variables for the credentials:</p>
${block(`Command that repeats exchange ${number}`, curlLine(one.request, name))}
`
}
