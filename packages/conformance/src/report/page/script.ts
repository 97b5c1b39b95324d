/**
 * The script of the page. It filters the tables and reveals the target of a link. The page contains the source of this
 * function as text, so the function must not use anything outside itself.
 */
export function enhance(): void {
  const form = document.querySelector<HTMLFormElement>('#filters')
  const output = form?.querySelector('output')
  if (!form || !output) return
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')]
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]))

  const narrow = () => {
    const chosen = new FormData(form)
    const words = String(chosen.get('words') ?? '')
      .toLowerCase()
      .split(/\s+/)
    const matches = (row: HTMLElement) =>
      ['outcome', 'source', 'basis'].every((name) => {
        const selected = chosen.getAll(name)
        return selected.length === 0 || selected.includes(row.dataset[name] ?? '')
      }) && words.every((word) => texts.get(row)?.includes(word))
    for (const row of rows) row.hidden = !matches(row)
    for (const group of groups) group.hidden = !group.querySelector('[data-row]:not([hidden])')
    output.value = ['requirement', 'check']
      .map((kind) => {
        const all = rows.filter((row) => row.dataset['row'] === kind)
        return `${all.filter((row) => !row.hidden).length} of ${all.length} ${kind}s`
      })
      .join(', ')
  }

  const targetOf = (fragment: string) => {
    try {
      return document.getElementById(decodeURIComponent(fragment.slice(1)))
    } catch {
      return null // The address has an invalid fragment.
    }
  }

  const reveal = (fragment: string) => {
    const target = targetOf(fragment)
    if (!target) return
    if (target.hidden) {
      form.reset()
      narrow()
    }
    if (target instanceof HTMLDetailsElement) target.open = true
    target.scrollIntoView()
  }

  form.addEventListener('input', narrow)
  // The browser empties the fields after the event and after its microtasks, so wait for a timer.
  form.addEventListener('reset', () => setTimeout(narrow))
  form.addEventListener('submit', (event) => event.preventDefault())
  addEventListener('hashchange', () => reveal(location.hash))
  // A click on a link to the current address does not change the hash, so it needs its own listener.
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (link) reveal(link.hash)
  })
  form.hidden = false
  narrow()
  reveal(location.hash)
}
