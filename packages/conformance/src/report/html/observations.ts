import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { unobservable } from '../../checks/probes/unobservable.ts'
import { sectionLabel } from '../group.ts'
import type { ExchangeBreach, Observation, Report } from '../model.ts'
import { plural } from '../summarize.ts'
import { type Html, html } from './html.ts'
import { checkLink, idCode, tableHtml } from './parts.ts'

/** The unspecified points by id. */
const unspecified = new Map(
  Object.values(contracts).flatMap((contract) => contract.unspecified.map((point) => [point.id, point] as const)),
)

/** Shows all observations, those with drift first, and the unspecified points without an observation. */
export function observations({ observations: all }: Report): Html {
  const sorted = all.toSorted((one, other) => Number(other.drift) - Number(one.drift))
  const seen = new Set(all.map(({ id }) => id))
  const others = [...unspecified.values()].filter(({ id }) => !seen.has(id))
  const heads = ['Point', 'Observed', 'Baseline', 'Drift']
  return html`${all.length > 0 ? tableHtml('Observations', heads, sorted.map(observationRow)) : html`<p>Nothing was observed.</p>`}
<details><summary>${plural(others.length, 'point')} that the spec leaves open, without an observation</summary>
${tableHtml(
  'Points without an observation',
  ['Section', 'Point', 'Why no probe can observe it'],
  others.map(
    ({ id, section, text }) =>
      html`<tr><td class="section">${sectionLabel(section)}</td><td>${text} ${idCode(id)}</td><td>${unobservable[id] ?? ''}</td></tr>\n`,
  ),
)}
</details>`
}

function observationRow({ id, value, baseline, drift }: Observation): Html {
  const point = unspecified.get(id)
  const mark = drift
    ? html`<span class="badge error"><span class="mark" aria-hidden="true">≠</span>drift</span>`
    : 'none'
  return html`<tr><td>${point && html`<p>${point.text}</p>`}${idCode(id)}</td>
<td><code>${shown(value)}</code></td><td>${baseline === undefined ? '–' : html`<code>${shown(baseline)}</code>`}</td><td>${mark}</td></tr>
`
}

function shown(value: unknown): string {
  return typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'nothing')
}

/** Shows the exchanges that break the contract. */
export function breachTable(breaches: readonly ExchangeBreach[]): Html {
  const rows = breaches.map(
    ({ id, source, message, check }) =>
      html`<tr><td>${idCode(id)}</td><td>${source}</td><td>${message}</td><td>${checkLink(check)}</td></tr>\n`,
  )
  return tableHtml('Exchanges that break the contract', ['Operation', 'Source', 'Breach', 'Seen during'], rows)
}

/** Shows the requirements that no check can observe, by reason. */
export function uncheckedRequirements({ requirements }: Report): Html {
  const reasons = Map.groupBy(
    requirements.filter(({ unchecked }) => unchecked !== undefined),
    ({ unchecked }) => defined(unchecked),
  )
  const items = [...reasons].map(
    ([reason, members]) => html`<dt>${reason}</dt>
<dd><ul class="plain">${members.map(({ id, section, text }) => html`<li>${text} <span class="section">${sectionLabel(section)}</span> ${idCode(id)}</li>\n`)}</ul></dd>
`,
  )
  return html`<dl class="reasons">${items}</dl>`
}
