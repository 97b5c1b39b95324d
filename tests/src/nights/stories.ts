/**
 * Ten stories of fourteen nights. Each word is a night: the platform's faults, and after `!` what happens to the run. `-` is a night without
 * a fault.
 */
import type { Night } from './oracle.ts'
import type { FaultName } from './platform.ts'
import type { Story } from './player.ts'

const story = (name: string, mode: Story['mode'], nights: string): Story => ({
  name,
  mode,
  nights: nights.split(' ').map(nightOf),
})

function nightOf(word: string): Night {
  const [faults = '', event] = word.split('!')
  return {
    faults: faults === '-' ? [] : (faults.split('+') as FaultName[]),
    ...(event !== undefined && { event: event as NonNullable<Night['event']> }),
  }
}

export const stories: readonly Story[] = [
  story('one fault', 'workflow', '- - - delete delete delete delete - - - - - - -'),
  story(
    'two faults, one repaired',
    'workflow',
    '- - add add add add+expired add+expired add+expired expired expired expired - - -',
  ),
  story('flaky', 'cron', '- add - add - - add add - add - - - -'),
  story(
    'outages inside a red week',
    'workflow',
    '- delete delete!refused delete!unknown-host delete delete!gateway delete delete!wrong-key delete!silent delete -!cancelled - - -',
  ),
  story('lost messages', 'cron', '- expired!lost - - add!lost add+expired!lost expired - delete -!lost - - -!lost -'),
  story('killed runs', 'cron', '- -!killed - delete delete!killed delete -!killed - - -!killed -!refused - add -'),
  story('two runs at once', 'cron', '- -!twice add add!twice -!twice - - - - delete!twice delete - - -'),
  story('a full disk', 'cron', '- -!full - add add!full add -!full - delete!full delete - - - -'),
  story('a deleted memory', 'workflow', '- add add add!forgotten add - expired -!forgotten - -!forgotten add - - -'),
  story(
    'a fault that shows every third night',
    'cron',
    '- - - lenient lenient lenient lenient lenient lenient - - - - -',
  ),
]
