import { contracts } from '@cdn/api/contract'
import { unobservable } from '../../probes/unobservable.ts'
import { sectionLabel } from '../group.ts'
import type { Observation, Report, WireBreach } from '../model.ts'
import { plural } from '../summarize.ts'
import { type Html, html } from './html.ts'
import { checkLink, idCode, table } from './parts.ts'

/** The points that the document leaves open, by id. */
const notShown = new Map(
  Object.values(contracts).flatMap((contract) => contract.notShown.map((point) => [point.id, point] as const)),
)

/** What was observed, drift first, and the open points at which nothing was observed. */
export function observations({ observations: all }: Report): Html {
  const sorted = all.toSorted((one, other) => Number(other.drift) - Number(one.drift))
  const seen = new Set(all.map(({ id }) => id))
  const others = [...notShown.values()].filter(({ id }) => !seen.has(id))
  const heads = ['Point', 'Observed', 'Baseline', 'Drift']
  return html`${all.length > 0 ? table('Observations', heads, sorted.map(observationRow)) : html`<p>Nothing was observed.</p>`}
<details><summary>${plural(others.length, 'point')} that the document leaves open, without an observation</summary>
${table(
  'Points without an observation',
  ['Section', 'Point', 'Why no probe can look'],
  others.map(
    ({ id, section, text }) =>
      html`<tr><td class="section">${sectionLabel(section)}</td><td>${text} ${idCode(id)}</td><td>${unobservable[id] ?? ''}</td></tr>\n`,
  ),
)}
</details>`
}

function observationRow({ id, value, baseline, drift }: Observation): Html {
  const point = notShown.get(id)
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

/** The exchanges that break a contract. */
export function wireBreaches(wire: readonly WireBreach[]): Html {
  const rows = wire.map(
    ({ id, ground, message, check }) =>
      html`<tr><td>${idCode(id)}</td><td>${ground}</td><td>${message}</td><td>${checkLink(check)}</td></tr>\n`,
  )
  return table('Breaches on the wire', ['Operation', 'Ground', 'Breach', 'Seen during'], rows)
}

/** The requirements that no check can look at, by reason. */
export function uncheckedRequirements({ requirements }: Report): Html {
  const reasons = Map.groupBy(
    requirements.filter(({ unchecked }) => unchecked !== undefined),
    ({ unchecked }) => unchecked ?? '',
  )
  const items = [...reasons].map(
    ([reason, members]) => html`<dt>${reason}</dt>
<dd><ul class="plain">${members.map(({ id, section, text }) => html`<li>${text} <span class="section">${sectionLabel(section)}</span> ${idCode(id)}</li>\n`)}</ul></dd>
`,
  )
  return html`<dl class="reasons">${items}</dl>`
}
