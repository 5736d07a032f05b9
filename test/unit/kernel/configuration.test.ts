import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Configuration, CONFIGURATION_AGE_MAX } from '../../../src/kernel/database/configuration.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';

/** A configuration whose version the test sets, and the clock by which it is checked. */
function configurationAt(version: number) {
  const stored = { version };
  const clock = fixedClock('2026-11-01T00:00:00.000Z');
  const configuration = new Configuration({ query: async () => [{ version: stored.version }] as never }, clock);
  return { configuration, clock, stored };
}

describe('the generation of cached configuration', () => {
  it('stays while checks find the same version, so that nothing derived from it is derived again', async () => {
    const { configuration, clock } = configurationAt(7);
    await configuration.ensureFresh();
    const { generation } = configuration;
    assert.equal(configuration.ensureFresh(), undefined);
    clock.advance(CONFIGURATION_AGE_MAX);
    await configuration.ensureFresh();
    assert.equal(configuration.generation, generation);
  });

  it('changes when another process has changed configuration, and when this one has', async () => {
    const { configuration, clock, stored } = configurationAt(7);
    await configuration.ensureFresh();
    const { generation: first } = configuration;
    stored.version = 8;
    clock.advance(CONFIGURATION_AGE_MAX);
    await configuration.ensureFresh();
    const { generation: second } = configuration;
    assert.notEqual(second, first);
    configuration.expire();
    assert.notEqual(configuration.generation, second);
    assert.ok(configuration.ensureFresh(), 'the next call checks the version');
  });
});
