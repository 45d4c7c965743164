package main

import (
	"fmt"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	podsecurityapi "k8s.io/pod-security-admission/api"
	podsecurity "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

var kinds = map[string]func() any{
	"v1 ConfigMap":                            func() any { return &core.ConfigMap{} },
	"v1 Namespace":                            func() any { return &core.Namespace{} },
	"v1 Service":                              func() any { return &core.Service{} },
	"v1 ServiceAccount":                       func() any { return &core.ServiceAccount{} },
	"apps/v1 Deployment":                      func() any { return &apps.Deployment{} },
	"networking.k8s.io/v1 NetworkPolicy":      func() any { return &networking.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":           func() any { return &policy.PodDisruptionBudget{} },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return &monitoring.ServiceMonitor{} },
}

// build writes the objects of a kustomization, and gives what is wrong with each.
func build(folder string) []error {
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return []error{err}
	}
	var mistakes []error
	for _, object := range objects.Resources() {
		kind := object.GetApiVersion() + " " + object.GetKind()
		text, err := object.AsYAML()
		if err == nil {
			err = check(kind, text)
		}
		if err == nil {
			text, err = yaml.YAMLToJSON(text)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s %s: %w", kind, object.GetName(), err))
			continue
		}
		fmt.Println(string(text))
	}
	return mistakes
}

// check decodes an object into its type, strictly; pods must keep to the restricted Pod Security Standard as well.
func check(kind string, text []byte) error {
	newObject, known := kinds[kind]
	if !known {
		return fmt.Errorf("no type is known here for it")
	}
	object := newObject()
	if err := yaml.UnmarshalStrict(text, object); err != nil {
		return err
	}
	if deployment, is := object.(*apps.Deployment); is {
		return restricted(&deployment.Spec.Template)
	}
	return nil
}

func restricted(pod *core.PodTemplateSpec) error {
	evaluator, err := podsecurity.NewEvaluator(podsecurity.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	level := podsecurityapi.LevelVersion{Level: podsecurityapi.LevelRestricted, Version: podsecurityapi.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			return fmt.Errorf("not restricted: %s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
	return nil
}
