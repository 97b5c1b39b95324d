import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const source = new URL('./proxy.ts', import.meta.url).href

/** Returns the hosts that a process reaches without a proxy after `useProxy`. */
function exceptions(env: Readonly<Record<string, string>>): string {
  const program = `const { useProxy } = await import('${source}'); useProxy('test'); console.log(process.env.no_proxy ?? process.env.NO_PROXY)`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { HTTPS_PROXY: 'http://127.0.0.1:9', ...env },
    encoding: 'utf8',
  }).trim()
}

test.each([
  [{}, 'localhost,127.0.0.1,::1,[::1]'],
  [{ NO_PROXY: 'a.example,.b.example' }, 'a.example,.b.example,localhost,127.0.0.1,::1,[::1]'],
  [{ no_proxy: '*' }, '*'],
  [{ NO_PROXY: ' * ' }, '*'],
])('requests to loopback use no proxy, and a lone asterisk stays alone: %j', (env, expected) => {
  expect(exceptions(env)).toBe(expected)
})
