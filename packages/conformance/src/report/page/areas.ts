import { isDeepStrictEqual } from 'node:util'
import { contracts } from '@cdn/api/contract'
import { plural } from '@cdn/kit/plural'
import { isRecord } from '@cdn/kit/record'
import { unobservable } from '../../cases/unspecified/unobservable.ts'
import { areasUnspecified, groupByArea, sectionLabel } from '../../exchange/format-text.ts'
import type { Report, RequirementResult } from '../../exchange/report-model.ts'
import { isUndecided, shownOutcome, undecidedByReason } from '../../verdict/outcomes.ts'
import { countSentences, coverageLines, openCounts, parityLine } from '../../verdict/result.ts'
import { type Html, type HtmlPart, html } from '../html.ts'
import { anchor, badge, idCode, idLink, sectionHtml } from './parts.ts'

/** The requirements by area: a line with a bar for each area, and its sentences on demand. */
export function areasSection(report: Report): Html {
  const causeOf = new Map(report.causes.flatMap(({ id, requirements }) => requirements.map((one) => [one, id])))
  const areas = groupByArea(report.requirements).map(([area, members]) => {
    const sentences = countSentences(members)
    const { all, hold, broken, undecided } = sentences
    // Draw the bar as SVG, because the content security policy of the page forbids style attributes.
    const bar = html`<svg class="bar" viewBox="0 0 ${Math.max(1, all)} 1" preserveAspectRatio="none" aria-hidden="true">
<rect class="pass" width="${hold}" height="1"/><rect class="fail" x="${hold}" width="${broken}" height="1"/><rect class="skip" x="${hold + broken}" width="${undecided}" height="1"/></svg>`
    return html`<details class="area"><summary><span class="name">${area}</span>${bar}<span class="count">${[`${hold} of ${all}`, ...openCounts(sentences)].join(', ')}</span></summary>
<ul class="sentences">${members.map((one) => sentence(one, causeOf.get(one.id)))}</ul></details>\n`
  })
  return sectionHtml(
    'areas',
    'Requirements',
    html`<div class="areas">${areas}</div>`,
    html`<p class="key"><span class="pass">holds</span><span class="fail">broken</span><span class="skip">undecided</span>${coverageLines(report).join(' ')}</p>`,
    html`<p class="note">The spec shows no operation of: ${areasUnspecified}.</p>`,
  )
}

function sentence(requirement: RequirementResult, cause: string | undefined): Html {
  const { id, text, section, reason, unchecked, cases, source } = requirement
  const shown = shownOutcome(requirement)
  const why = reason ?? unchecked
  return html`<li id="${anchor('requirement', id)}">${badge(shown)}<div><p>${text}</p><p class="note">${sectionLabel(section)} · ${source} · ${idCode(id)}${cases > 0 && ` · ${plural(cases, 'case')}`}${cause !== undefined && html` · ${idLink('cause', cause)}`}</p>${why !== undefined && html`<p class="note">${why}</p>`}</div></li>\n`
}

/** The requirements that this run did not decide, by reason, so that readers do not count them as passed. */
export function undecidedSection(report: Report): Html | undefined {
  if (!report.requirements.some(isUndecided)) return undefined
  const lists = undecidedByReason(report).map(
    ([reason, ids]) =>
      html`<details><summary>${plural(ids.length, 'sentence')}: ${reason}</summary><ul>${ids.map((id) => html`<li>${idLink('requirement', id)}</li>`)}</ul></details>\n`,
  )
  return sectionHtml('undecided', 'Undecided', lists)
}

const points = Object.values(contracts).flatMap(({ unspecified }) => unspecified)

/** The unspecified points: first those where the run observed the target, then the others. */
export function unspecifiedSection({ observations, parity }: Report): Html {
  const textOf = (id: string) => points.find((point) => point.id === id)?.text
  const seen = observations.map(
    ({ id, value }) =>
      html`<li>${textOf(id) && html`${textOf(id)} `}${idCode(id)} <code>${JSON.stringify(value)}</code></li>\n`,
  )
  const others = points.filter(({ id }) => !observations.some((one) => one.id === id))
  const rest: HtmlPart = others.map(
    ({ id, section, text }) =>
      html`<li>${text} <span class="note">${sectionLabel(section)}</span> ${idCode(id)}${unobservable[id] && html` <span class="note">${unobservable[id]}</span>`}</li>\n`,
  )
  return sectionHtml(
    'unspecified',
    'What the spec leaves open',
    parity &&
      html`<p>${parityLine(parity)} The platform was observed at ${parity.startedAt}.</p><ul>${parity.others.map(
        ({ id, platform, emulator }) =>
          html`<li>${idCode(id)} platform <code>${short(withoutEqual(platform, emulator))}</code>, emulator <code>${short(withoutEqual(emulator, platform))}</code></li>\n`,
      )}</ul>`,
    html`<details><summary>${plural(observations.length, 'observation')} of this target</summary><ul>${seen}</ul></details>`,
    html`<details><summary>${plural(others.length, 'point')} without an observation</summary><ul>${rest}</ul></details>`,
  )
}

/** Maximum number of characters of an observation next to another one. */
const maxShown = 300

/** Returns the members of an observation that differ from those of another observation. */
function withoutEqual(value: unknown, other: unknown): unknown {
  if (!isRecord(value) || !isRecord(other)) return value
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => !isDeepStrictEqual(each, other[name])))
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'not observed'
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}
