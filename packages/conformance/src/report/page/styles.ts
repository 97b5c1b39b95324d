/** The style sheet of the pages. In light and dark mode, text has a contrast of at least 4.5 to 1 with its background. */
export const styles = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f7f7f5, #121417); --sheet: light-dark(#ffffff, #191c20);
  --text: light-dark(#1d2024, #e4e6e9); --muted: light-dark(#585f69, #a2a9b4); --line: light-dark(#dfe0e2, #31363d);
  --link: light-dark(#1a56b0, #8db8f5); --soft: light-dark(#ecedef, #272b31);
  --tone: light-dark(#545b65, #abb2bd);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box }
html { scroll-padding-top: 3rem; -webkit-text-size-adjust: 100% }
body { margin: 0 auto; padding: 1.5rem 1.5rem 5rem; max-width: 72rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; font-variant-numeric: tabular-nums }
h1, h2, h3, p, dl, dd, ul { margin: 0; padding: 0 }
h2 { margin: 2.6rem 0 .8rem; font-size: 1.15rem; line-height: 1.3; letter-spacing: -.01em }
h3 { margin: 1.25rem 0 .35rem; font-size: .9rem }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: .06em }
code, pre { font-family: var(--mono); font-size: .86em }
code, dt, dd, li, td p { overflow-wrap: anywhere }
[hidden] { display: none !important }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px }
main:focus { outline: none }
:target { box-shadow: inset 3px 0 0 var(--link) }
.skip-link { position: absolute; left: -99rem }
.skip-link:focus { left: 1rem; top: .5rem; padding: .4rem .8rem; background: var(--sheet); z-index: 3 }
thead th { color: var(--muted) }
pre { margin: .5rem 0; padding: .7rem .9rem; max-height: 24rem; overflow: auto; border: 1px solid var(--line); border-radius: 8px;
  background: var(--page); font-size: .8rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate }

.pass { --tone: light-dark(#17663a, #74cf9a); --soft: light-dark(#e4f2e9, #1b3525) }
.fail { --tone: light-dark(#a51d1d, #ff938a); --soft: light-dark(#fbe6e4, #40191a) }
.error { --tone: light-dark(#834700, #f0b766); --soft: light-dark(#fcefd9, #3a2a0f) }
.skip { --tone: light-dark(#5b6068, #a9aeb6); --soft: light-dark(#e9eaec, #2c2e32) }
.expected { --tone: light-dark(#6a5200, #d6c27a); --soft: light-dark(#f5eed6, #332d17) }
.unchecked { --tone: var(--muted); --soft: transparent }
body.wide { max-width: 110rem }
.top-line, .ends { display: flex; justify-content: space-between; gap: 1.5rem; color: var(--muted); font-size: .84rem }
.top-line nav { display: flex; gap: 1.2rem }
h1 { margin: 1.3rem 0 .4rem; font-size: 1.9rem; line-height: 1.22; font-weight: 680; letter-spacing: -.02em; text-wrap: balance; overflow-wrap: anywhere }
h1.fail, h1.error { color: var(--tone) }
h1 .mark { color: var(--tone) }
.mark { font-weight: 700; color: var(--tone) }
.facts, .note, .since { color: var(--muted); font-size: .88rem }
.note { margin-top: .5rem }
.facts b { color: var(--text); font-weight: 620 }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.id { color: var(--muted); font-size: .84em; overflow-wrap: anywhere }
a .id { color: inherit }

.strip { display: flex; gap: 3px; margin: 1.1rem 0 0; padding: 0; list-style: none }
.strip li { flex: 1; max-width: 3rem; height: 1.6rem; border-radius: 3px; background: var(--soft) }
.strip li:last-child { box-shadow: 0 0 0 2px var(--sheet), 0 0 0 3px var(--muted) }
.strip .fail, .strip .error { background: var(--tone) }
.strip a { display: block; height: 100%; border-radius: 3px }
.ends { margin-top: .35rem; font-size: .8rem }
.problems, .changes { margin: 1.2rem 0 0; padding: .8rem 1.1rem .8rem 2.1rem; border-radius: 8px; background: light-dark(#fcefd9, #3a2a0f); overflow-wrap: anywhere }
.advice { margin: 1.2rem 0 0; max-width: 60rem }
.changes { background: var(--sheet); border: 1px solid var(--line) }

.cause { margin: 0 0 .7rem; padding: .8rem 1.3rem; background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 10px }
.cause > summary { list-style: none; cursor: pointer }
.cause > summary::-webkit-details-marker { display: none }
.cause h3 { display: inline; margin: 0; font-size: 1.08rem; font-weight: 640; letter-spacing: -.01em; overflow-wrap: anywhere }
.cause > summary h3::after { content: "  ▸"; color: var(--muted); font-weight: 400 }
.cause[open] > summary h3::after { content: "  ▾" }
.top { display: flex; align-items: baseline; gap: .6rem; margin-bottom: .25rem; font-size: .84rem }
.method { padding: .05rem .45rem; border-radius: 5px; background: var(--soft); color: var(--tone); font: 620 .76rem ui-monospace, monospace }
.path { font: .84rem ui-monospace, monospace; overflow-wrap: anywhere }
.since { margin-left: auto; white-space: nowrap }
main { overflow-wrap: anywhere }
blockquote { margin: .8rem 0; padding-left: .9rem; border-left: 2px solid var(--line); color: var(--muted) }
cite { display: block; font-style: normal; font-size: .86rem }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; margin: .8rem 0 }
.pair > div { min-width: 0; padding: .6rem .9rem; border-radius: 8px; background: var(--page); overflow-wrap: anywhere }
.pair .seen { background: var(--soft) }
.pair small { color: var(--muted); font-size: .8rem }
.pair .seen small { color: inherit }
.act { margin: .8rem 0 }
.act output { margin-left: .6rem; color: var(--muted); font-size: .86rem }
button { padding: .25rem .7rem; font: inherit; font-size: .88rem; color: inherit; background: var(--sheet); border: 1px solid var(--line); border-radius: 7px; cursor: pointer }
.cause details { padding: .45rem 0 0; border-top: 1px solid var(--line); margin-top: .45rem }
details > summary { cursor: pointer; font-size: .92rem; overflow-wrap: anywhere }
li { margin: .2rem 0 }

.areas { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px }
.area { border-top: 1px solid var(--line) }
.area:first-child { border-top: 0 }
.area > summary { display: grid; grid-template-columns: 14rem 1fr 15rem; align-items: center; gap: 1rem; padding: .5rem 1rem }
.area .name { font-weight: 560 }
.area .count { color: var(--muted); text-align: right; font-size: .86rem; font-variant-numeric: tabular-nums }
.bar { display: block; width: 100%; height: .5rem; border-radius: 4px; background: var(--line) }
.bar rect, .key span::before { fill: var(--tone) }
.sentences { margin: 0; padding: 0 1rem .6rem; list-style: none }
.sentences li { display: grid; grid-template-columns: 6.5rem 1fr; gap: .8rem; padding: .5rem 0; border-top: 1px solid var(--line) }
.badge { justify-self: start; align-self: start; padding: .05rem .6rem .05rem .35rem; border-radius: 99px; background: var(--soft); color: var(--tone); font-size: .8rem; white-space: nowrap }
.badge .mark { margin-right: .3rem }
.badge.unchecked { box-shadow: inset 0 0 0 1px var(--line) }
.key { margin-top: .7rem; color: var(--muted); font-size: .86rem }
.key span { margin-right: 1rem }
.key span::before { content: ""; display: inline-block; width: .62rem; height: .62rem; margin-right: .4rem; border-radius: 2px; background: var(--tone) }
.run { display: grid; grid-template-columns: 1fr 1fr; gap: .3rem 2rem; font-size: .9rem }
.run div { display: flex; gap: .8rem; min-width: 0 }
.run dt { flex: none; width: 7rem; color: var(--muted) }
.run dd { margin: 0; overflow-wrap: anywhere; min-width: 0 }
.plain { padding: 0; list-style: none }

.scroll { overflow-x: auto; position: relative; direction: rtl; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet) }
/* The box starts at its end, with the newest runs. */
.scroll > * { direction: ltr }
.nights { width: 100%; border-collapse: separate; border-spacing: 1px 3px; background: var(--sheet); font-size: .8rem }
.nights th, .nights td { padding: 0; border: 0; text-align: center; vertical-align: top; line-height: 1.5rem; min-width: 1.35rem; border-radius: 2px; font-weight: 500 }
.nights tbody th, .nights thead tr:last-child th:first-child { text-align: left; padding: 0 1rem 0 .7rem; min-width: 22rem; max-width: 30rem; line-height: 1.35 }
.nights tbody th, .nights thead tr:last-child th:first-child { position: sticky; left: 0; background: var(--sheet) }
.nights thead tr:first-child th { text-align: right; color: var(--muted) }
.nights thead th a { display: block; color: inherit }
.nights td.pass, .nights td.fail, .nights td.expected, .nights thead .pass, .nights thead .fail, .nights thead .error, .nights thead .skip { background: var(--soft); color: var(--tone) }
.nights .absent { color: var(--muted) }
.nights .what { display: block }
.nights thead small { display: block; font-size: .7em }
.nights .state { color: var(--muted); font-weight: 400 }
.flaky { padding: 0 .4rem; border-radius: 99px; background: light-dark(#fcefd9, #3a2a0f); color: light-dark(#834700, #f0b766); font-size: .74rem }

@media (max-width: 48rem) {
  body { padding: 1rem 1rem 4rem }
  h1 { font-size: 1.45rem }
  .pair, .run { grid-template-columns: 1fr }
  .top { flex-wrap: wrap }
  .top-line nav { flex-wrap: wrap; justify-content: flex-end; gap: .3rem .9rem }
  .area > summary { grid-template-columns: 1fr 1fr }
  .area .name { grid-column: 1 / -1 }
  .sentences li { grid-template-columns: 1fr; gap: .3rem }
  .cause { margin-bottom: .5rem; padding: .6rem .9rem }
  .strip { gap: 2px }
  .nights tbody th, .nights thead tr:last-child th:first-child { min-width: 12rem }
}
`
