/** Ten stories of fourteen nights. Without a fault and an event, a night is green. */
import type { Night } from './oracle.ts'
import type { FaultName } from './platform.ts'
import type { Story } from './player.ts'

const green: Night = { faults: [] }
const red = (...faults: FaultName[]): Night => ({ faults })
const but = (event: NonNullable<Night['event']>, ...faults: FaultName[]): Night => ({ faults, event })
const times = (count: number, night: Night): Night[] => Array.from({ length: count }, () => night)

export const stories: readonly Story[] = [
  {
    name: 'one fault',
    mode: 'workflow',
    nights: [...times(3, green), ...times(4, red('delete')), ...times(7, green)],
  },
  {
    name: 'two faults, one repaired',
    mode: 'workflow',
    nights: [
      ...times(2, green),
      ...times(3, red('add')),
      ...times(3, red('add', 'expired')),
      ...times(3, red('expired')),
      ...times(3, green),
    ],
  },
  {
    name: 'flaky',
    mode: 'cron',
    nights: [
      green,
      red('add'),
      green,
      red('add'),
      green,
      green,
      red('add'),
      red('add'),
      green,
      red('add'),
      ...times(4, green),
    ],
  },
  {
    name: 'outages inside a red week',
    mode: 'workflow',
    nights: [
      ...[
        green,
        red('delete'),
        but('refused', 'delete'),
        but('unknown host', 'delete'),
        red('delete'),
        but('gateway', 'delete'),
      ],
      ...[
        red('delete'),
        but('wrong key', 'delete'),
        but('silent', 'delete'),
        red('delete'),
        but('cancelled'),
        green,
        green,
        green,
      ],
    ],
  },
  {
    name: 'lost messages',
    mode: 'cron',
    nights: [
      ...[
        green,
        but('lost', 'expired'),
        green,
        green,
        but('lost', 'add'),
        but('lost', 'add', 'expired'),
        red('expired'),
      ],
      ...[green, red('delete'), but('lost'), green, green, but('lost'), green],
    ],
  },
  {
    name: 'killed runs',
    mode: 'cron',
    nights: [
      ...[
        green,
        but('killed'),
        green,
        red('delete'),
        but('killed', 'delete'),
        red('delete'),
        but('killed'),
        green,
        green,
      ],
      ...[but('killed'), but('refused'), green, red('add'), green],
    ],
  },
  {
    name: 'two runs at once',
    mode: 'cron',
    nights: [
      green,
      but('twice'),
      red('add'),
      but('twice', 'add'),
      but('twice'),
      ...times(4, green),
      but('twice', 'delete'),
      red('delete'),
      ...times(3, green),
    ],
  },
  {
    name: 'a full disk',
    mode: 'cron',
    nights: [
      green,
      but('full'),
      green,
      red('add'),
      but('full', 'add'),
      red('add'),
      but('full'),
      green,
      but('full', 'delete'),
      red('delete'),
      green,
      green,
      green,
      green,
    ],
  },
  {
    name: 'a deleted memory',
    mode: 'workflow',
    nights: [
      ...[
        green,
        red('add'),
        red('add'),
        but('forgotten', 'add'),
        red('add'),
        green,
        red('expired'),
        but('forgotten'),
        green,
      ],
      ...[but('forgotten'), red('add'), green, green, green],
    ],
  },
  {
    name: 'a fault that shows every third night',
    mode: 'cron',
    nights: [...times(3, green), ...times(6, red('lenient')), ...times(5, green)],
  },
]
