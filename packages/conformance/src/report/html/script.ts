/**
 * What runs in the page: it narrows the tables, and opens what a link leads to. The page holds its source as text, so
 * it uses nothing from outside itself.
 */
export function enhance(): void {
  const form = document.querySelector<HTMLFormElement>('#filters')
  const output = form?.querySelector('output')
  if (!form || !output) return
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')]
  const texts = new Map(rows.map((row) => [row, (row.textContent ?? '').toLowerCase()]))

  const narrow = () => {
    const chosen = new FormData(form)
    const words = String(chosen.get('words') ?? '')
      .toLowerCase()
      .split(/\s+/)
    const matches = (row: HTMLElement) =>
      ['outcome', 'ground', 'through'].every((name) => {
        const wanted = chosen.getAll(name)
        return wanted.length === 0 || wanted.includes(row.dataset[name] ?? '')
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
      return null // Whoever cut or mistyped the address meant no place of the page.
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
  // The fields are emptied after the event, and a microtask would still run before that.
  form.addEventListener('reset', () => setTimeout(narrow))
  form.addEventListener('submit', (event) => event.preventDefault())
  addEventListener('hashchange', () => reveal(location.hash))
  // A link to where the address already leads changes no hash.
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (link) reveal(link.hash)
  })
  form.hidden = false
  narrow()
  reveal(location.hash)
}
