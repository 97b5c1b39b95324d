import { unlessAborted } from '@cdn/kit/wait'

/** Slots for pages in memory, shared by range reads. */
export type PageSlots = ReturnType<typeof createPageSlots>

/**
 * Creates a semaphore for pages. A page has a slot from the first byte of its body until its rows are taken. Pages that are read
 * ahead use at most half of the slots, rounded up. So a page that a consumer waits for gets one, and range reads cannot
 * block each other. Pages without a slot wait with an unread body.
 *
 * @param count maximum number of pages, at least 2
 */
export function createPageSlots(count: number) {
  const maxAhead = Math.ceil(count / 2)
  const waiting = new Set<{ readonly isNext: () => boolean; readonly start: (wasAhead: boolean) => void }>()
  let held = 0
  let ahead = 0

  function admit(): void {
    for (const page of waiting) {
      const isAhead = !page.isNext()
      if (held >= count) return
      if (isAhead && ahead >= maxAhead) continue
      waiting.delete(page)
      held++
      if (isAhead) ahead++
      page.start(isAhead)
    }
  }
  function free(wasAhead: boolean): void {
    held--
    if (wasAhead) ahead--
    admit()
  }
  return {
    /** Whether a page that is requested now could be read ahead at once. */
    hasRoom: (): boolean => waiting.size === 0 && ahead < maxAhead && held < count,
    /**
     * Waits for a slot.
     *
     * @param isNext whether the consumer of the range read waits for this page
     * @returns a function that frees the slot; later calls do nothing
     * @throws the signal's reason
     */
    async take(isNext: () => boolean, signal: AbortSignal | undefined): Promise<() => void> {
      let start: (wasAhead: boolean) => void = () => {}
      const admitted = new Promise<boolean>((resolve) => {
        start = resolve
      })
      const entry = { isNext, start }
      waiting.add(entry)
      admit()
      const wasAhead = await unlessAborted(admitted, signal).catch((reason) => {
        if (!waiting.delete(entry)) admitted.then(free) // it was admitted at the same moment
        throw reason
      })
      let isHeld = true
      return () => {
        if (isHeld) free(wasAhead)
        isHeld = false
      }
    },
  }
}
