/**
 * The script of the page: it copies texts, and opens the target of a link. The page contains the source of
 * this function as text, so the function must not use anything outside itself.
 */
export function enhance(): void {
  for (const row of document.querySelectorAll<HTMLElement>('.act')) row.hidden = false
  addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null
    const text = document.getElementById(button?.dataset['copy'] ?? '')
    const output = button?.parentElement?.querySelector('output')
    if (!button || !text || !output) return
    try {
      await navigator.clipboard.writeText(text.textContent)
    } catch {
      // Some browsers deny the clipboard to a page from disk, so show and select the text.
      for (let box = text.parentElement; box; box = box.parentElement)
        if (box instanceof HTMLDetailsElement) box.open = true
      getSelection()?.selectAllChildren(text)
      document.execCommand('copy')
    }
    output.value = 'Copied.'
  })

  const reveal = () => {
    let target: HTMLElement | null = null
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    } catch {
      return // The address has an invalid fragment.
    }
    if (!target) return
    for (let box: HTMLElement | null = target; box; box = box.parentElement)
      if (box instanceof HTMLDetailsElement) box.open = true
    target.scrollIntoView()
  }

  addEventListener('hashchange', reveal)
  // A click on a link to the current address does not change the hash, so it needs its own listener.
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (link?.hash && link.hash === location.hash) reveal()
  })
  reveal()
}
