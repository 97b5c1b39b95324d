/**
 * Milliseconds since some moment, never going back. A process that was stopped finds the time passed; so does one on a
 * machine that slept, where only the wall clock went on: a leap of that is believed, since ending a lease early harms nobody.
 */
export const elapsed = (() => {
  let total = 0
  let ran = performance.now()
  let wall = Date.now()
  return () => {
    const [ranNow, wallNow] = [performance.now(), Date.now()]
    const leapt = wallNow - wall - (ranNow - ran)
    total += ranNow - ran + (leapt > 1_000 ? leapt : 0)
    ran = ranNow
    wall = wallNow
    return total
  }
})()
