import {
  SCORE_ENGINE,
  type DeferredScore,
  type EngineScore,
  type ScoreData,
  type ScoreEngine,
  type ScoreValues,
} from '../../../../contracts/score-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** Most characters of a failed engine's message that are reported. */
const REASON_CHARACTERS_MAX = 500;

/** Returns an engine by its registered name. @throws BAD_PARAMETER that lists the known ones */
export function requireEngine(ctx: Context, name: string): ScoreEngine {
  try {
    return ctx.providers.get(SCORE_ENGINE, name);
  } catch (error) {
    if (error instanceof PlatformError)
      throw bad('ScoreEngine', `one of ${ctx.providers.names(SCORE_ENGINE).join(', ')}`);
    throw error;
  }
}

/** Runs an engine. Wraps its errors in STATE_REFUSES with the engine's name; the score is still unchanged then. */
export async function runEngine(
  name: string,
  data: ScoreData,
  score: EngineScore,
): Promise<ScoreValues | DeferredScore> {
  const engine = requireEngine(score.ctx, name);
  try {
    return await engine.calculate(data, score);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const reason = error instanceof Error ? error.message : 'it gave no reason';
    throw new PlatformError('STATE_REFUSES', {
      field: 'ScoreEngine',
      message: `ScoreEngine: ${name} failed on ${score.template}: ${maskedStart(reason, REASON_CHARACTERS_MAX)}`,
      cause: error,
    });
  }
}
