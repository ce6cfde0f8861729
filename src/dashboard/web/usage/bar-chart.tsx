import { type CSSProperties, type MouseEvent, useState } from 'react';
import { axisText, countText } from '../common/format.ts';
import { scaleUpTo } from './chart-scale.ts';
import './bar-chart.css';

/** One of the parts that bars consist of. */
export interface Series {
  readonly name: string;
  /** A CSS color. */
  readonly color: string;
}

export interface Bar {
  /** Below the bar. */
  readonly label: string;
  /** The heading of its values. */
  readonly title: string;
  /** One for each series. */
  readonly values: readonly number[];
}

interface BarChartProps {
  /** The accessible name. The values must also be available as text. */
  readonly name: string;
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
}

/** The most labels below the bars, on wide and on narrow screens. */
const LABELS = { wide: 12, narrow: 4 } as const;

/** Stacked bars, which show their values while the pointer is on them. */
export function BarChart({ name, series, bars }: BarChartProps) {
  const [pointed, point] = useState<number>();
  const most = Math.max(0, ...bars.map(({ values }) => sum(values)));
  const scale = scaleUpTo(most);
  const top = scale.at(-1) ?? 1;
  const pointedBar = pointed === undefined || most === 0 ? undefined : bars[pointed];
  return (
    <div role="img" aria-label={name} className="bar-chart">
      {/* What moves is another element, because browsers count elements that move as a shift of the layout. */}
      <div key={`scale up to ${top}`} className="bar-chart-scale">
        {scale.map((value) => (
          <span key={value} style={{ bottom: percent(value / top) }}>
            {axisText(value)}
          </span>
        ))}
      </div>
      <div className="bar-chart-plot">
        <div key={`lines up to ${top}`}>
          {scale.map((value) => (
            <i key={value} className="bar-chart-line" style={{ bottom: percent(value / top) }} />
          ))}
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: The values are also available as text. */}
        <div
          key={`${bars.length} bars up to ${top}`}
          className="bar-chart-bars"
          onMouseMove={(event) => point(indexAt(event, bars.length))}
          onMouseLeave={() => point(undefined)}
        >
          {bars.map(({ label, values }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Places stay where they are while times move through them.
            <div key={index} className="bar-chart-place" data-pointed={index === pointed}>
              <Stack key={values.join()} values={values} series={series} top={top} />
              <Label text={label} index={index} count={bars.length} />
            </div>
          ))}
        </div>
        {pointedBar && pointed !== undefined && (
          <Values bar={pointedBar} series={series} style={beside((pointed + 0.5) / bars.length)} />
        )}
      </div>
    </div>
  );
}

interface StackProps extends Pick<Bar, 'values'>, Pick<BarChartProps, 'series'> {
  /** The value at the top of the chart. */
  readonly top: number;
}

/** The parts of a bar. */
function Stack({ values, series, top }: StackProps) {
  return (
    <div className="bar-chart-bar" style={{ height: percent(sum(values) / top) }}>
      {series.map(({ name, color }, index) => {
        const value = values[index] ?? 0;
        const style = { flexGrow: value, background: color };
        return value > 0 && <i key={name} className="bar-chart-part" style={style} />;
      })}
    </div>
  );
}

interface LabelProps {
  readonly text: string;
  /** Of its bar. */
  readonly index: number;
  /** Of all bars. */
  readonly count: number;
}

function Label({ text, index, count }: LabelProps) {
  const every = Math.ceil(count / LABELS.wide);
  if (index % every > 0) return null;
  const everyOnNarrow = every * Math.ceil(count / every / LABELS.narrow);
  const isOnNarrow = index % everyOnNarrow === 0;
  return (
    <span className={`bar-chart-label ${isOnNarrow ? '' : 'bar-chart-label-wide'}`}>{text}</span>
  );
}

interface ValuesProps extends Pick<BarChartProps, 'series'> {
  readonly bar: Bar;
  readonly style: CSSProperties;
}

function Values({ bar: { title, values }, series, style }: ValuesProps) {
  return (
    <div className="bar-chart-values" style={style}>
      <strong>{title}</strong>
      {series.map(({ name, color }, index) => (
        <div key={name}>
          <i style={{ background: color }} />
          <span>{name}</span>
          <span className="figures">{countText(values[index] ?? 0)}</span>
        </div>
      ))}
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The bar at the position of the pointer. */
function indexAt({ currentTarget, clientX }: MouseEvent, count: number): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count)));
}

/** To the right or left of a position (a share of the width), on the side with more room. */
function beside(position: number): CSSProperties {
  return position < 0.5 ? { left: percent(position) } : { right: percent(1 - position) };
}

function percent(share: number): string {
  return `${share * 100}%`;
}
