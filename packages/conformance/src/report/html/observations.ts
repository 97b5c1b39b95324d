import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { type Html, html } from '@cdn/kit/html'
import { unobservable } from '../../checks/probes/unobservable.ts'
import type { ExchangeBreach, Report } from '../model.ts'
import { plural, sectionLabel, valueText } from '../text.ts'
import { idCode, idLink, tableHtml } from './parts.ts'

/** The unspecified points by id. */
const unspecified = new Map(
  Object.values(contracts).flatMap((contract) => contract.unspecified.map((point) => [point.id, point] as const)),
)

/** Shows all observations, those with drift first, and the unspecified points without an observation. */
export function observations({ observations: all }: Report): Html {
  const sorted = all.toSorted((one, other) => Number(other.drift) - Number(one.drift))
  const textOf = (id: string) => unspecified.get(id)?.text
  const code = (value: unknown) => html`<code>${valueText(value)}</code>`
  const drifted = html`<span class="badge error"><span class="mark" aria-hidden="true">≠</span>drift</span>`
  const table = tableHtml(
    'Observations',
    [
      { head: 'Point', cell: ({ id }) => html`${textOf(id) && html`<p>${textOf(id)}</p>`}${idCode(id)}` },
      { head: 'Observed', cell: ({ value }) => code(value) },
      { head: 'Baseline', cell: ({ baseline }) => (baseline === undefined ? '–' : code(baseline)) },
      { head: 'Drift', cell: ({ drift }) => (drift ? drifted : 'none') },
    ],
    sorted,
  )
  const others = [...unspecified.values()].filter(({ id }) => !all.some((one) => one.id === id))
  return html`${all.length > 0 ? table : html`<p>Nothing was observed.</p>`}
<details><summary>${plural(others.length, 'point')} that the spec leaves open, without an observation</summary>
${tableHtml(
  'Points without an observation',
  [
    { head: 'Section', cell: ({ section }) => html`<span class="section">${sectionLabel(section)}</span>` },
    { head: 'Point', cell: ({ id, text }) => html`${text} ${idCode(id)}` },
    { head: 'Why no probe can observe it', cell: ({ id }) => unobservable[id] },
  ],
  others,
)}
</details>`
}

/** Shows the exchanges that break the contract. */
export function breachTable(breaches: readonly ExchangeBreach[]): Html {
  return tableHtml(
    'Exchanges that break the contract',
    [
      { head: 'Operation', cell: ({ id }) => idCode(id) },
      { head: 'Source', cell: ({ source }) => source },
      { head: 'Breach', cell: ({ message }) => message },
      { head: 'Seen during', cell: ({ check }) => idLink('check', check) },
    ],
    breaches,
  )
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
