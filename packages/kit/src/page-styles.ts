/** The styles that all pages share: colours, text, links, code. In light and dark mode, text has a contrast of at least 4.5 to 1. */
export const pageStyles = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f7f7f5, #121417); --sheet: light-dark(#ffffff, #191c20); --code: light-dark(#f3f3f1, #14171a);
  --text: light-dark(#1d2024, #e4e6e9); --muted: light-dark(#585f69, #a2a9b4); --line: light-dark(#dfe0e2, #31363d);
  --link: light-dark(#1a56b0, #8db8f5); --quiet: light-dark(#545b65, #abb2bd); --soft: light-dark(#ecedef, #272b31);
  --tone: var(--quiet);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box }
html { scroll-padding-top: 3rem; -webkit-text-size-adjust: 100% }
body { margin: 0 auto; padding: 2rem 1.5rem 5rem; max-width: 75rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; font-variant-numeric: tabular-nums }
h1, h2, h3, p, dl, dd, ul { margin: 0; padding: 0 }
h2 { margin: 3rem 0 .75rem; font-size: 1.2rem; line-height: 1.3; letter-spacing: -.01em }
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
.note, .id { color: var(--muted) }
a .id { color: inherit }
.note { margin-top: .5rem; font-size: .86rem }
table { width: 100%; border-collapse: collapse; background: var(--sheet); font-size: .92rem }
th, td { padding: .5rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
thead th { font-size: .8rem; font-weight: 600; color: var(--muted) }
tbody:last-child > tr:last-child > * { border-bottom: 0 }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet) }
pre { margin: 0; padding: .75rem .9rem; max-height: 24rem; overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--code);
  line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate }
`
