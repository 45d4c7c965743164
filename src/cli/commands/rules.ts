/** `skewscope rules`: list, explain and test the rules. */
import { Command, Option } from 'commander';
import { type Config, NO_CONFIG } from '../../config/config.js';
import { escapeText } from '../../report/text/escape.js';
import type { RuleListEntry, RuleReport, RuleTestReport } from '../../rules/index.js';
import { readConfig, readRules, rulesOption, withRuleErrors } from '../analysis-options.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { openOutputFile, StreamOutput } from '../output.js';

interface RuleFlags {
  readonly rules?: readonly string[];
  readonly config?: string;
}
interface ListFlags extends RuleFlags {
  readonly format: 'text' | 'json';
}
interface TestFlags extends RuleFlags {
  readonly coverage?: boolean;
  readonly junit?: string;
}

export function rulesCommand(context: Context): Command {
  return new Command('rules')
    .summary('list, explain and test the rules')
    .description('The rules that turn observations into findings: those of the package and your own.')
    .addCommand(listCommand(context))
    .addCommand(explainCommand(context))
    .addCommand(testCommand(context));
}

function listCommand(context: Context): Command {
  return withRuleOptions(new Command('list').description('All rules: id, severity and meaning.'))
    .addOption(new Option('--format <format>', 'form of the list').choices(['text', 'json']).default('text'))
    .action(async (flags: ListFlags) => {
      const { listRules } = await import('../../rules/list-rules.js');
      const entries = listRules(await readRules(await readConfig(flags), flags));
      const text = flags.format === 'json' ? `${JSON.stringify(entries, null, 2)}\n` : listText(entries);
      await new StreamOutput(context.terminal.stdout).write(text);
    });
}

function explainCommand(context: Context): Command {
  return withRuleOptions(new Command('explain').description('What a rule means, what it reads, and when it speaks.'))
    .argument('<id>', 'id of the rule, as findings name it')
    .action(async (id: string, flags: RuleFlags) => {
      const { explainRule } = await import('../../rules/explain-rule.js');
      const ruleSet = await readRules(await readConfig(flags), flags);
      const text = await withRuleErrors(() => explainRule(ruleSet, id));
      await new StreamOutput(context.terminal.stdout).write(text.split('\n').map(escapeText).join('\n'));
    });
}

function testCommand(context: Context): Command {
  return withRuleOptions(new Command('test').description('Runs the tests that rules carry.'))
    .argument('[files...]', 'rule files or folders; the shipped rules and those of --rules unless given')
    .option('--coverage', 'show the branches of rules that no test reaches')
    .option('--junit <file>', 'write the results as JUnit XML')
    .action(async (files: string[], flags: TestFlags) => {
      context.exitCode = await runTests(files, flags, context);
    });
}

async function runTests(files: readonly string[], flags: TestFlags, { terminal }: Context): Promise<ExitCode> {
  const { loadRules, testRules, toJUnit } = await import('../../rules/index.js');
  const config = withoutOverrides(await readConfig(flags));
  const ruleSet =
    files.length > 0
      ? await withRuleErrors(() => loadRules({ shipped: false, dirs: files }))
      : await readRules(config, flags, { recheck: true });
  const report = testRules(ruleSet, { coverage: flags.coverage ?? false });
  if (flags.junit !== undefined) {
    const output = await openOutputFile(flags.junit);
    await output.write(toJUnit(report));
    await output.finish();
  }
  await new StreamOutput(terminal.stdout).write(testText(report));
  return report.ok ? EXIT.clean : EXIT.findings;
}

/** Tests speak of the severities that the rule files give. */
function withoutOverrides(config: Config): Config {
  return { ...NO_CONFIG, rules: { ...NO_CONFIG.rules, dirs: config.rules.dirs } };
}

function withRuleOptions(command: Command): Command {
  return command.addOption(rulesOption()).option('--config <file>', 'configuration file (YAML)');
}

function listText(entries: readonly RuleListEntry[]): string {
  const idWidth = Math.max(0, ...entries.map(({ id }) => id.length));
  const severityWidth = Math.max(0, ...entries.map(({ severity }) => severity.length));
  const lines = entries.map(({ id, severity, title, notes, state }) => {
    const remarks = [...(state === 'off' && notes.length === 0 ? ['off'] : []), ...notes];
    const remark = remarks.length > 0 ? ` (${remarks.join('; ')})` : '';
    return escapeText(`${id.padEnd(idWidth)}  ${severity.padEnd(severityWidth)}  ${title}${remark}`);
  });
  return `${lines.join('\n')}\n`;
}

function testText(report: RuleTestReport): string {
  const lines = report.rules.flatMap(ruleLines);
  const total = `${report.passed} tests passed, ${report.failed} failed, in ${report.rules.length} rules`;
  return `${[...lines, total].map(escapeText).join('\n')}\n`;
}

function ruleLines({ id, file, tests, problems, coverage }: RuleReport): string[] {
  const failed = tests.flatMap(({ name, line, failures }) =>
    failures.length === 0
      ? []
      : [`${file}:${line}: FAILED ${id}: ${name}`, ...failures.map((failure) => `    ${failure}`)],
  );
  const untested = (coverage ?? []).filter(({ covered }) => !covered).map(({ branch }) => branch);
  const covered = (coverage?.length ?? 0) - untested.length;
  return [
    ...failed,
    ...problems.map((problem) => `${file}: FAILED ${id}: the rule ${problem}`),
    ...(coverage === undefined ? [] : [`${id}: ${covered} of ${coverage.length} branches tested`]),
    ...untested.map((branch) => `    not tested: ${branch}`),
  ];
}
