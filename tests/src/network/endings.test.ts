import { expect, test } from 'vitest'
import { type Behaviour, endingOf, type Peer, type Program } from './endings.ts'

/** Some of the situations of the script; in each, an open connection or a proxy that closes kept a program alive. */
const cases: readonly [Program, Peer, Behaviour, code: number, connections: number][] = [
  ['cdn pull-zone get', 'proxy', 'closed', 1, 3],
  ['cdn pull-zone get', 'proxy', 'silent', 1, 1],
  ['cdn pull-zone get', 'host', 'silent', 1, 1],
  ['exporter config check', 'proxy', 'closed', 1, 2],
  ['exporter run --once', 'proxy', 'closed', 1, 2],
  ['conformance run', 'proxy', 'closed', 2, 8],
]

test.each(cases)(
  '%s ends in a sentence, after its attempts: %s %s',
  async (program, peer, behaviour, code, attempts) => {
    const ending = await endingOf(program, peer, behaviour)
    expect([ending.code, ending.connections]).toEqual([code, attempts])
    expect(ending.output).not.toMatch(/\n {4}at |canary-key/)
    if (behaviour === 'closed') expect(ending.output).toContain('the proxy closes the connection')
  },
)
