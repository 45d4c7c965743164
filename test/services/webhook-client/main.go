// Posts generated audit events as a kube-apiserver does: with its own webhook backend, behind its own buffer.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/plugin/pkg/audit/buffered"
	"k8s.io/apiserver/plugin/pkg/audit/webhook"
)

func main() {
	config := flag.String("kubeconfig", "", "as of --audit-webhook-config-file")
	mode := flag.String("mode", "batch", "batch or blocking")
	events := flag.Int("events", 1000, "how many to send")
	batch := flag.Int("batch", 400, "most events of a batch")
	perSecond := flag.Int("per-second", 2000, "events made in a second; 0: at once")
	qps := flag.Float64("qps", 10, "most batches a second")
	backoff := flag.Duration("backoff", 10*time.Second, "before the first attempt after a failed one")
	steps := flag.Int("steps", 5, "attempts")
	padding := flag.Int("padding", 200, "bytes of padding of an event")
	flag.Parse()

	if err := run(*config, *mode, *events, *batch, *perSecond, *qps, *backoff, *steps, *padding); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Failed batches are told by klog on standard error.
	fmt.Println("done")
}

func run(config, mode string, events, batch, perSecond int, qps float64, backoff time.Duration, steps, padding int) error {
	// As the apiserver has it, but for the durations.
	retry := wait.Backoff{Duration: backoff, Factor: 1.5, Jitter: 0.2, Steps: steps}
	hook, err := webhook.NewBackend(config, auditv1.SchemeGroupVersion, retry, nil)
	if err != nil {
		return err
	}
	backend := audit.Backend(hook)
	if mode == "batch" {
		backend = buffered.NewBackend(hook, buffered.BatchConfig{
			BufferSize:     events,
			MaxBatchSize:   batch,
			MaxBatchWait:   500 * time.Millisecond,
			ThrottleEnable: true,
			ThrottleQPS:    float32(qps),
			ThrottleBurst:  15,
			AsyncDelegate:  true,
		})
	}
	stop := make(chan struct{})
	if err := backend.Run(stop); err != nil {
		return err
	}
	fill := make([]byte, padding)
	for at := range fill {
		fill[at] = 'a' + byte(at%26)
	}
	for number := 0; number < events; number++ {
		backend.ProcessEvents(event(number, string(fill)))
		if perSecond > 0 && number%100 == 99 {
			time.Sleep(time.Duration(100) * time.Second / time.Duration(perSecond))
		}
	}
	close(stop)
	backend.Shutdown()
	return nil
}

func event(number int, padding string) *auditinternal.Event {
	now := metav1.NowMicro()
	return &auditinternal.Event{
		Level:                    auditinternal.LevelMetadata,
		AuditID:                  types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", number)),
		Stage:                    auditinternal.StageResponseComplete,
		RequestURI:               fmt.Sprintf("/api/v1/namespaces/default/configmaps/made-%d", number),
		Verb:                     "get",
		UserAgent:                "made/" + padding,
		SourceIPs:                []string{"10.0.0.1"},
		ResponseStatus:           &metav1.Status{Code: 200},
		RequestReceivedTimestamp: now,
		StageTimestamp:           now,
	}
}
