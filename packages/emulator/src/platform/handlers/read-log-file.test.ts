import { contracts } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { describe, expect, test } from 'vitest'
import { start, unlimited } from '../../../tests/support/start.ts'

// The conformance suite checks the parameters, and compares the lines with version 2, because it knows the rows.

const { emulator, ask } = await start()
emulator.faults.add(unlimited)

describe('v1', () => {
  test('has the number of fields that the contract lists, with and without extended logging', async () => {
    const { responses } = assertDefined(contracts.logging.operations.find(({ name }) => name === 'read-log-file'))
    const line = assertDefined(responses.find((response) => response.line)?.line)
    const fieldsIn = async (zone: string) => {
      const text = await (await ask.logging(`06-16-26/${zone}.log`)).text()
      return [
        ...new Set(
          text
            .trimEnd()
            .split('\n')
            .map((each) => each.split('|').length),
        ),
      ]
    }
    expect(await fieldsIn('2003')).toEqual([line.length])
    expect(await fieldsIn('2002')).toEqual([line.filter((field) => !field.extended).length])
  })

  test('states the compression of a file; in process, the body is decoded', async () => {
    const headers = { AccessKey: emulator.fixtures.credentials.accessKey, 'Accept-Encoding': 'gzip' }
    const response = await ask.logging('06-17-26/2003.log', { headers })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect((await response.text()).split('\n').length).toBeGreaterThan(20)
  })
})
