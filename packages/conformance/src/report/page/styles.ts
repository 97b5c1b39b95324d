import { pageStyles } from '@cdn/kit/page-styles'

/** The style sheet of the page. In light and dark mode, text has a contrast of at least 4.5 to 1 with its background. */
export const styles = `${pageStyles}
.pass { --tone: light-dark(#17663a, #74cf9a); --soft: light-dark(#e4f2e9, #16301f) }
.fail { --tone: light-dark(#a51d1d, #ff938a); --soft: light-dark(#fbe6e4, #40191a) }
.error { --tone: light-dark(#834700, #f0b766); --soft: light-dark(#fcefd9, #3a2a0f) }
.result, .badge, .cell { background: var(--soft); color: var(--tone) }
.key.pass .mark, .key.fail .mark, .key.error .mark, .tiles .pass, .tiles .fail, .tiles .error { color: var(--tone) }
.mark { display: inline-block; min-width: 1.1em; margin-right: .25em; text-align: center; font-weight: 700 }
.number { text-align: right }
.eyebrow { color: var(--muted); font-size: .86rem; margin-bottom: .6rem }
.result { display: flex; gap: .8rem; align-items: baseline; padding: 1.1rem 1.25rem; border-radius: 10px; font-size: 1.45rem; line-height: 1.35;
  font-weight: 600; letter-spacing: -.012em; text-wrap: pretty }
.result .mark { margin: 0 }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: 1rem 0 1.6rem; font-size: .88rem }
.facts dt { color: var(--muted) }

.tiles { display: grid; grid-template-columns: repeat(5, 1fr); list-style: none; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px }
.tiles li { padding: .75rem 1.1rem; border-left: 1px solid var(--line) }
.tiles li:first-child { border-left: 0 }
.tiles b { display: block; font-size: 1.75rem; line-height: 1.15; font-weight: 600; letter-spacing: -.02em }
.tiles .none { color: var(--muted) }
.coverage { margin-top: .5rem; max-width: 60rem }
.coverage:first-of-type { margin-top: 1rem }

.badge { display: inline-block; padding: .05rem .55rem .05rem .3rem; border-radius: 99px; font-size: .8rem; line-height: 1.5; white-space: nowrap }
.badge.unchecked, .cell.unchecked { background: none; box-shadow: inset 0 0 0 1px var(--line) }

th.number { text-align: right }
.matrix { border: 1px solid var(--line); border-radius: 10px; border-collapse: separate; border-spacing: 0 }
.matrix thead th { position: sticky; top: 0; z-index: 1; background: var(--sheet); border-radius: 10px 10px 0 0 }
.matrix td:first-child { width: 7.6rem }
.matrix .section { width: 5.5rem }
.matrix td.wide { font-size: .86rem; color: var(--muted) }
.matrix td.wide:last-child { max-width: 17rem }
.section { color: var(--muted); overflow-wrap: anywhere }
.group th { padding-top: 1.1rem; font-size: .95rem; background: var(--page) }
.count { margin-left: .4rem; color: var(--muted); font-weight: 400 }
.narrow { display: none }
.plain { list-style: none }
.plain li + li { margin-top: .2rem }
details > summary { cursor: pointer }
td details[open] > summary { margin-bottom: .3rem }
section > details { margin-top: .75rem }
section > details > summary { padding: .3rem 0; color: var(--muted) }

.grid th, .grid td { padding: .35rem .45rem; vertical-align: middle }
.grid thead th:not(:first-child), .grid td { text-align: center }
.grid th:first-child { padding-left: .75rem }
.grid tbody th { font-weight: 500; min-width: 8rem; overflow-wrap: anywhere }
.cell { display: inline-block; min-width: 4.4rem; padding: .15rem .5rem; border-radius: 6px; text-decoration: none; white-space: nowrap }
.cell:hover { text-decoration: underline }
.key { white-space: nowrap; margin-left: .6rem }

#filters { display: flex; flex-wrap: wrap; gap: .6rem 1.4rem; align-items: end; margin-bottom: .9rem; font-size: .88rem }
fieldset { display: flex; flex-wrap: wrap; gap: .3rem; margin: 0; padding: 0; border: 0 }
legend, .words { padding: 0; color: var(--muted); font-size: .8rem }
legend { margin-bottom: .2rem }
fieldset label { position: relative; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 99px; background: var(--sheet); cursor: pointer }
fieldset input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer }
fieldset label:has(:checked) { background: var(--text); border-color: var(--text); color: var(--sheet) }
fieldset label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px }
.words input { display: block; margin-top: .2rem; width: 13rem; padding: .22rem .6rem }
.words input, button { font: inherit; font-size: .88rem; color: var(--text); background: var(--sheet); border: 1px solid var(--quiet); border-radius: 6px }
button { padding: .22rem .8rem; cursor: pointer }
output { color: var(--muted) }

.failure { margin: 0 0 .6rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px }
.failure > summary { display: flex; gap: .75rem; align-items: baseline; padding: .7rem 1rem; list-style: none }
.failure > summary::-webkit-details-marker { display: none }
.failure > summary::after { content: '+'; margin-left: auto; color: var(--muted); font-weight: 600 }
.failure[open] > summary::after { content: '−' }
.failure .what { min-width: 0 }
.failure .what code { color: var(--text); font-weight: 600; margin-right: .75rem }
.failure .why { display: inline }
.failure .body { padding: .2rem 1rem 1.1rem; border-top: 1px solid var(--line) }
.failure dl { display: grid; grid-template-columns: 6rem 1fr; gap: .35rem 1rem; margin-top: .8rem }
.failure dt, .facts dt { font-size: .86rem }
.failure dt { color: var(--muted) }
.failure dd { white-space: pre-wrap }
.reasons dt { margin-top: 1rem; font-weight: 600 }
.reasons dd { margin-top: .25rem; font-size: .92rem }

@media (max-width: 48rem) {
  body { padding: 1rem .9rem 3rem }
  .result { padding: .9rem 1rem; font-size: 1.15rem }
  .tiles { grid-template-columns: repeat(3, 1fr) }
  .tiles li { padding: .5rem .7rem }
  .tiles b { font-size: 1.3rem }
  .tiles li:nth-child(n + 4) { border-top: 1px solid var(--line) }
  .tiles li:nth-child(3n + 1) { border-left: 0 }
  .wide { display: none }
  .narrow { display: block; margin-top: .25rem; color: var(--muted); font-size: .82rem }
  .narrow details { display: inline-block; vertical-align: top }
  .narrow span + span::before { content: '· ' }
  th, td { padding: .45rem .5rem }
  .matrix td:first-child, .matrix .section { width: auto }
  .failure > summary { position: relative; flex-wrap: wrap; padding-right: 2rem }
  .failure > summary::after { position: absolute; right: .9rem; top: .6rem }
  .failure .what { width: 100% }
  .failure .why { display: block }
  .failure dl { grid-template-columns: 1fr; gap: .1rem }
  .failure dd { margin-bottom: .5rem }
}
@media print {
  body { max-width: none; padding: 0; background: none }
  #filters, .skip-link { display: none }
  .matrix thead th { position: static }
}
`
