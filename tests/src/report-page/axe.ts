import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const excused = ['nonBmp', 'elmPartiallyObscuring']

/**
 * Returns the findings of axe, and the elements whose contrast axe cannot determine, each as rule and element. Two kinds of
 * elements are left out: a mark, which has the colour of the word next to it, and text that wraps around other text on a line.
 */
export async function findings(page: Page, rules?: string[]): Promise<string[]> {
  const { violations, incomplete, passes } = await page.evaluate(
    // In the browser, the evaluated source of axe has set this variable.
    (only) => (globalThis as unknown as { axe: typeof axe }).axe.run(only ? { runOnly: only } : {}),
    rules,
  )
  expect(passes.map(({ id }) => id)).toContain('color-contrast')
  const unsure = incomplete.filter(({ id }) => id === 'color-contrast')
  return [...violations, ...unsure].flatMap(({ id, nodes }) =>
    nodes
      .filter(({ any }) => !any.some(({ data }) => excused.includes(data?.messageKey)))
      .map(({ target, failureSummary }) => `${id}: ${target.join(' ').slice(-80)} ${failureSummary ?? ''}`),
  )
}
