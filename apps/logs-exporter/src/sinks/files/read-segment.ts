import { join } from 'node:path'
import { SinkError } from '../../errors.ts'
import { prove } from '../../formats/index.ts'
import type { Segment } from '../../segments/segment.ts'
import { hourName } from '../../segments/segment-name.ts'
import { withSinkErrors } from './failures.ts'
import { filesIn, type Place } from './list-segments.ts'

/** The lines of a segment. @throws SinkError if the file is missing, or its content does not match the segment */
export async function* readFileSegment(
  { disk, root }: Place,
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { zone, from, to, revision } = segment
  const files = await withSinkErrors(root, () => filesIn({ disk, root }, hourName(zone, from)))
  const file = files.find((each) => each.from === from && each.to === to && each.revision === revision)
  if (!file) {
    const window = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`
    throw new SinkError('damaged', `The segment r${revision} of zone ${zone}, ${window}, is missing in ${root}.`)
  }
  const path = join(root, file.path)
  const lines = prove(file.format.decode(await withSinkErrors(root, () => disk.input(path))), segment)[
    Symbol.asyncIterator
  ]()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await withSinkErrors(path, () => lines.next())
      if (done) return
      yield value
    }
  } finally {
    await lines.return?.(undefined)
  }
}
