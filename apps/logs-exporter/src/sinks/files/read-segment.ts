import { join } from 'node:path'
import { prove } from '../../formats/index.ts'
import type { Segment } from '../../segments/segment.ts'
import { hourName } from '../../segments/segment-name.ts'
import { SinkError } from '../sink-error.ts'
import { told } from './failures.ts'
import { filesIn, type Place } from './list-segments.ts'

/** The lines of a segment. @throws SinkError where it is gone, or is not what was written */
export async function* readSegment(
  { disk, root }: Place,
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { zone, from, to, revision } = segment
  const files = await told(root, () => filesIn({ disk, root }, hourName(zone, from)))
  const file = files.find((found) => found.from === from && found.to === to && found.revision === revision)
  if (!file) {
    const window = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`
    throw new SinkError('damaged', `There is no segment r${revision} of zone ${zone}, ${window}, in ${root}.`)
  }
  const path = join(root, file.path)
  const lines = prove(file.format.decode(await told(root, () => disk.input(path))), segment)[Symbol.asyncIterator]()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await told(path, () => lines.next())
      if (done) return
      yield value
    }
  } finally {
    await lines.return?.(undefined)
  }
}
