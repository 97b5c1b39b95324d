import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHeap } from './heap.ts'

test('gives back its items in the order of their keys, also while items are added', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: -9, max: 9 }))), (steps) => {
      const heap = createHeap<number>((item) => item)
      const model: number[] = []
      for (const item of steps) {
        if (item === null) expect(heap.shift()).toBe(model.shift())
        else {
          heap.push(item)
          model.push(item)
          model.sort((a, b) => a - b)
        }
        expect([heap.size, heap.first()]).toEqual([model.length, model[0]])
      }
    }),
  )
})
