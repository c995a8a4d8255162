package pipeline_test

import (
	"context"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// TestEveryCheckIsNeeded turns each off and sees other bits, a race, or a program that does not hold.
func TestEveryCheckIsNeeded(t *testing.T) {
	for c, stages := range map[pipeline.Check]func(x, y driver.Range) []pipeline.Stage{
		pipeline.CheckItems: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Copy", n/2, x, temp(1, n)), stage("Copy", n, x, y)}
		},
		pipeline.CheckOverlap: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Copy", n/2, x, driver.Part(y.Buffer, 0, 2*n)), stage("Copy", n/2, x, driver.Part(y.Buffer, n, 2*n))}
		},
		pipeline.CheckIndex: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Count", n, x, y), stage("Scale", n, y, y, driver.U32(3))}
		},
		pipeline.CheckStep: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Pairs", n, x, temp(1, 2*n)), stage("Copy", n, temp(1, 2*n), y)}
		},
		pipeline.CheckWindow: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Copy", n, x, temp(1, n)), stage("Neighbour", n, temp(1, n), y)}
		},
		pipeline.CheckCertain: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Even", n, x, y), stage("Copy", n, y, temp(1, n)), stage("Scale", n, temp(1, n), y, driver.U32(3))}
		},
		pipeline.CheckBounds: func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Copy", n, x, temp(1, n/2)), stage("Copy", n, temp(1, n/2), y)}
		},
		pipeline.CheckNarrow: func(x, y driver.Range) []pipeline.Stage {
			b := megakernel.Temp{ID: 1, Bytes: n}
			return []pipeline.Stage{stage("Bytes", n, x, b), stage("Wide", n, b, y)}
		},
	} {
		dev := open(t, "cpu")
		x, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...)
		old := numbers(n + 1)[1:]
		outcome := func(f pipeline.Fusion) (words []uint32, wrong string) {
			dev.write(y, old)
			p, err := pipeline.New(context.Background(), dev, stages(x, y), pipeline.Options{Fusion: f})
			if err != nil {
				return nil, err.Error()
			}
			defer p.Close()
			if err := p.Run(context.Background()); err != nil {
				return nil, err.Error()
			}
			for _, r := range p.Result().Reports {
				if r.Error {
					wrong = r.Text
				}
			}
			return dev.read(y), wrong
		}
		want, _ := outcome(pipeline.Separate)
		if got, wrong := outcome(pipeline.Fused); !slices.Equal(got, want) || wrong != "" {
			t.Errorf("check %d: %v, want %v; %s", c, got, want, wrong)
		}
		on := pipeline.TurnOff(c)
		got, wrong := outcome(pipeline.Fused)
		on()
		if slices.Equal(got, want) && wrong == "" {
			t.Errorf("check %d: nothing is wrong without it", c)
		}
	}
}
