// The grammar of serQ for tree-sitter. The compiler's own, `compiler/src/syntax/grammar.pest`, says
// what is right; this one reads everything that it accepts, so that an editor has a tree while a
// program is being written. Words are reserved by position only, as there.

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const LEVEL = { condition: 1, or: 2, and: 3, compare: 4, sum: 5, product: 6, prefix: 7, power: 8 };

/** One or more, with commas between. */
const listed = (rule) => seq(rule, repeat(seq(',', rule)));

/** Words that begin a statement. A queue may have such a name: `turn[0].prefill (1);`. */
const STATEMENT_WORDS = [
  'turn', 'end', 'request', 'set', 'observe', 'mark', 'hold', 'grow', 'drop', 'release', 'load',
  'run', 'branch', 'loop', 'choose', 'prefill', 'decode', 'tool', 'transfer', 'fork', 'join', 'book',
];

/** Words that begin an item. A queue of a relation may have such a name: `run pull P share maxmin;`. */
const ITEM_WORDS = [
  'let', 'use', 'def', 'pool', 'stage', 'queue', 'share', 'workload', 'session', 'server', 'gauge',
  'run', 'fail',
];

/** Words that an operand may begin with. An attribute may have such a name. */
const OPERAND_WORDS = ['max', 'min', 'sum'];

module.exports = grammar({
  name: 'serq',

  word: $ => $.name,

  extras: $ => [/[\s\uFEFF\u0085]/, $.comment],

  supertypes: $ => [$._item, $._statement, $._expression],

  conflicts: $ => [
    [$.form, $._statement_name],
    [$.transfer_statement, $._statement_name],
    [$.let_item, $._item_name],
    [$.def_item, $._item_name],
    [$.pool_item, $._item_name],
    [$.stage_item, $._item_name],
    [$.queue_item, $._item_name],
    [$.gauge_item, $._item_name],
  ],

  rules: {
    source_file: $ => repeat($._item),

    // ---- Items ------------------------------------------------------------------------------

    _item: $ => choice(
      $.let_item, $.use_item, $.def_item, $.pool_item, $.stage_item, $.queue_item, $.pull_item,
      $.share_item, $.workload_item, $.session_item, $.server_item, $.gauge_item, $.run_item,
      $.fail_item,
    ),

    let_item: $ => seq('let', field('name', $._declared), '=', field('value', $._expression), ';'),
    use_item: $ => seq('use', field('file', $.string), ';'),
    def_item: $ => seq(
      'def', field('name', $._declared), field('parameters', $.parameters),
      choice(seq('=', field('body', $._expression), ';'), field('body', $.block)),
    ),
    pool_item: $ => seq(
      'pool', field('name', $._declared), optional(field('size', $.index)), field('body', $.pool_body),
    ),
    stage_item: $ => seq(
      'stage', field('name', $._declared), optional(field('size', $.index)), ':', $._kind_end,
    ),
    queue_item: $ => seq(
      'queue', field('name', $._declared), optional(field('size', $.index)),
      optional(seq(':', listed(field('role', $.name)))),
      '{', repeat(choice($.queue_pool, $.queue_serve, $.queue_nic, $.entry)), '}',
    ),
    pull_item: $ => seq(
      field('reader', $._item_name), choice('pull', 'push'), field('source', $.name),
      optional($.latency), 'share', $.policy, ';',
    ),
    fail_item: $ => seq('fail', $.reference, 'at', $._expression, 'for', $._expression, ';'),
    share_item: $ => seq('share', $.policy, ';'),
    workload_item: $ => seq(
      'workload', '{',
      repeat(choice(
        $.arrive_clause, $.trace_clause, $.hidden_clause, $.init_clause, $.turn_clause,
        $.session_item,
      )),
      '}',
    ),
    session_item: $ => seq('session', $.block),
    server_item: $ => seq('server', $.block),
    gauge_item: $ => seq('gauge', field('name', $._declared), '=', field('value', $._expression), ';'),
    run_item: $ => seq('run', '{', repeat($.run_option), '}'),

    parameters: $ => seq('(', optional(listed($.name)), ')'),
    latency: $ => seq('latency', $._expression),
    policy: _ => choice('maxmin', 'bottleneck'),
    run_option: $ => seq(choice('horizon', 'warmup', 'seed', 'arrivals'), $._expression, ';'),

    // ---- Pools ------------------------------------------------------------------------------

    pool_body: $ => seq('{', repeat($.pool_option), '}'),
    pool_option: $ => choice(
      seq('cap', $._expression, ';'),
      seq('block', $._expression, ';'),
      seq('evict', choice('lru', seq('by', $.keys)), ';'),
      seq('preempt', choice('none', 'lifo'), ';'),
      seq('prefix', choice('own', 'shared'), ';'),
      seq('queue', choice('fifo', seq('by', $.keys)), ';'),
      seq('admit', 'via', $.reference, ';'),
      seq('spill', $.reference, 'via', $.reference, $.group, 'when', $.group, ';'),
    ),
    keys: $ => seq('(', listed($._expression), ')'),

    // ---- Stages -----------------------------------------------------------------------------

    _kind_end: $ => choice(
      seq(field('kind', $.step_kind), optional(';')), seq(field('kind', $.kind), ';'),
    ),
    kind: $ => choice(seq('fifo', optional($.group)), seq('ps', $.group), 'delay'),
    step_kind: $ => seq('step', '{', repeat($.step_option), '}'),
    step_option: $ => choice(
      seq('budget', $._expression, ';'),
      seq('cost', $._expression, ';'),
      seq('chunk', $._expression, ';'),
      seq('serve', $.serve_order, ';'),
      seq('memory', $.reference, ';'),
    ),
    serve_order: $ => choice(
      seq('exclusive', 'prefill'), seq('only', $.group, optional($._base_order)), $._base_order,
    ),
    _base_order: $ => choice('admission', seq('by', $.keys), seq('decode', 'first')),

    // ---- Queues -----------------------------------------------------------------------------

    queue_pool: $ => seq('pool', field('name', $.name), field('body', $.pool_body)),
    queue_serve: $ => seq('serve', choice(
      seq($.step_kind, choice(seq($.latency, ';'), optional(';'))),
      seq($.kind, optional($.latency), ';'),
    )),
    queue_nic: $ => seq('nic', optional(field('ranks', $.index)), $._kind_end),
    entry: $ => seq(
      field('verb', $.name), optional(field('parameters', $.parameters)),
      optional(seq('from', field('source', $.name))), field('body', $.block),
    ),

    // ---- Workload ---------------------------------------------------------------------------

    arrive_clause: $ => seq('arrive', $.arrival, ';'),
    arrival: $ => choice(
      seq(choice('poisson', 'renewal', 'closed', 'batch'), $.group), 'none',
    ),
    trace_clause: $ => seq(
      'trace', field('file', $.string), optional(choice('ordered', seq('at', 'arrival'))), ';',
    ),
    hidden_clause: $ => seq('hidden', listed($.name), ';'),
    init_clause: $ => seq('init', $.block),
    turn_clause: $ => seq('turn', $.block),

    // ---- Statements -------------------------------------------------------------------------

    block: $ => seq('{', repeat($._statement), '}'),

    _statement: $ => choice(
      $.turn_statement, $.end_statement, $.request_statement, $.set_statement,
      $.observe_statement, $.mark_statement, $.hold_statement, $.open_statement,
      $.book_statement, $.grow_statement, $.drop_statement, $.release_statement,
      $.load_statement, $.run_statement, $.branch_statement, $.loop_statement,
      $.fork_statement, $.join_statement, $.choose_statement, $.transfer_statement,
      $.serving_statement, $.use_statement, $.call_statement,
    ),

    turn_statement: _ => seq('turn', ';'),
    end_statement: _ => seq('end', ';'),
    request_statement: $ => seq('request', optional(field('gateway', $.name)), ';'),
    set_statement: $ => seq(
      'set', field('name', $.name), '=', field('value', $._expression), ';',
    ),
    observe_statement: $ => seq(
      'observe', field('name', $.name), '=', field('value', $._expression), ';',
    ),
    mark_statement: $ => seq('mark', field('name', $.name), ';'),
    grow_statement: $ => seq('grow', $.reference, $.group, ';'),
    drop_statement: $ => seq('drop', $.reference, ';'),
    release_statement: $ => seq('release', $.reference, ';'),
    load_statement: $ => seq('load', $.reference, $.group, ';'),
    loop_statement: $ => seq('loop', $.block),
    fork_statement: $ => seq('fork', $.block),
    join_statement: _ => seq('join', ';'),
    branch_statement: $ => seq(
      'branch', optional('with'), $.group, $.block, optional(seq('else', $.block)),
    ),
    choose_statement: $ => seq(
      'choose', field('name', $.name), 'in', $._expression, 'by', $.keys, ';',
    ),

    hold_statement: $ => seq(
      'hold', listed($.claim), optional(seq('reuse', $.group)), optional($.admission),
      $.block, optional(seq('cache', $.group)), optional($.lease),
      optional(';'),
    ),
    open_statement: $ => seq(
      'hold', $.reference, $.block, optional(seq('cache', $.group)),
      optional($.lease), optional(';'),
    ),
    book_statement: $ => seq('book', $.claim, optional(seq('reuse', $.group)), ';'),
    lease: $ => seq('lease', $.reference, $.group, optional($.renew)),
    renew: $ => seq('renew', '(', $._expression, ',', $._expression, ')'),
    claim: $ => seq($.reference, $.group, optional(seq('reserve', $.group))),
    admission: $ => seq('at', 'admission', '(', listed($.binding), ')'),
    binding: $ => seq(field('name', $.name), '=', field('value', $._expression)),

    run_statement: $ => seq(
      'run', optional(listed($.reference)), optional($.mode), $.group, optional($.growing), ';',
    ),
    mode: _ => choice('prefill', 'decode'),
    growing: $ => seq('growing', $.reference),

    serving_statement: $ => seq(
      $.form, optional(choice($.index, $.on_stage)), $._expression, optional($.growing), ';',
    ),
    form: _ => choice('prefill', 'decode', 'tool'),
    on_stage: $ => seq('on', listed($.reference)),
    transfer_statement: $ => seq(
      'transfer', optional(choice($.index, $.on_stage)), $._expression,
      'from', $.reference, 'to', $.reference, $.group, $._or_fails,
    ),

    use_statement: $ => seq(field('name', $.name), $.arguments, ';'),
    call_statement: $ => seq(
      field('queue', $._statement_name), optional($.index),
      repeat1(seq('.', field('verb', $.name))), optional($.arguments),
      optional(seq('from', $.reference)), optional(seq('to', $.reference, $.group)), $._or_fails,
    ),
    // What a statement ends in that may fail.
    _or_fails: $ => choice(';', seq('else', $.block)),

    // ---- References and expressions ---------------------------------------------------------

    reference: $ => seq(
      $.name, repeat(seq('.', $.name)), optional($._member),
    ),
    // Of a member's NICs each has an index of its own.
    _member: $ => seq($.index, optional(seq(repeat1(seq('.', $.name)), optional($.index)))),
    index: $ => seq('[', $._expression, ']'),
    group: $ => seq('(', $._expression, ')'),
    arguments: $ => seq('(', optional(listed($._expression)), ')'),

    _expression: $ => choice(
      $.number, $.infinity, $.self, $._operand_name, $.call, $.draw, $.aggregate,
      $.member, $.group, $.prefix, $.infix, $.condition,
    ),

    condition: $ => prec.right(LEVEL.condition, seq(
      $._expression, '?', $._expression, ':', $._expression,
    )),
    infix: $ => choice(...[
      [LEVEL.or, '||'], [LEVEL.and, '&&'], [LEVEL.sum, '+'], [LEVEL.sum, '-'],
      [LEVEL.product, '*'], [LEVEL.product, '/'],
      ...['<', '>', '<=', '>=', '==', '!='].map(operator => [LEVEL.compare, operator]),
    ].map(([level, operator]) => prec.left(level, seq(
      $._expression, field('operator', operator), $._expression,
    ))), prec.right(LEVEL.power, seq($._expression, field('operator', '^'), $._expression))),
    prefix: $ => prec(LEVEL.prefix, seq(field('operator', choice('-', '!')), $._expression)),

    call: $ => seq(field('function', $._operand_name), $.arguments),
    draw: $ => seq('~', field('distribution', $.name), $.arguments),
    aggregate: $ => seq(
      $.aggregate_operator, field('variable', $.name), 'in',
      choice($.number, $.name, $.group), $.group,
    ),
    aggregate_operator: _ => choice(...OPERAND_WORDS),
    member: $ => seq(
      $._operand_name,
      choice(
        $._member,
        seq(repeat1(seq('.', $.name)), optional($._member)),
      ),
    ),

    // ---- Tokens -----------------------------------------------------------------------------

    name: _ => /[_\p{XID_Start}][_\p{XID_Continue}]*/,
    _operand_name: $ => choice($.name, alias(choice('on', ...OPERAND_WORDS), $.name)),
    _statement_name: $ => choice($.name, alias(choice(...STATEMENT_WORDS), $.name)),
    // Behind a word that may be a queue of a relation.
    _declared: $ => choice($.name, alias(choice('pull', 'push'), $.name)),
    _item_name: $ => choice($.name, alias(choice(...ITEM_WORDS), $.name)),

    infinity: _ => 'inf',
    self: _ => 'self',
    number: _ => {
      const digits = /[0-9](_*[0-9])*/;
      return token(seq(
        choice(seq(digits, optional(seq('.', optional(digits)))), seq('.', digits)),
        optional(seq(/[eE]/, optional(/[+-]/), digits)),
      ));
    },
    string: _ => token(seq('"', /[^"\n\r]*/, '"')),
    comment: _ => token(choice(
      seq('//', /[^\n]*/), seq('/*', /[^*]*\*+([^/*][^*]*\*+)*/, '/'),
    )),
  },
});
