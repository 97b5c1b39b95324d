// Moves the clock of a process by SHIFT_MS.
const shift = Number(process.env.SHIFT_MS ?? 0)
const Real = Date
globalThis.Date = class extends Real {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [Real.now() + shift]))
  }
  static now() {
    return Real.now() + shift
  }
}
