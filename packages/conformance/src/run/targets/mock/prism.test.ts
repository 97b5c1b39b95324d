import { contracts } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { servePrism } from './prism.ts'

test('Prism, which resolves the references of its document in place, gets a copy of the contract', async () => {
  const { full } = contracts.management.openapi
  const before = JSON.stringify(full)
  const { close } = await servePrism('management')
  await close()
  expect(JSON.stringify(full) === before).toBe(true)
})
